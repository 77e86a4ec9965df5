"""Reading pages and writing results: files, the web, archives, collections."""
