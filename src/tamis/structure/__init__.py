"""Structure of pages: hashes of places, text blocks, layouts."""
