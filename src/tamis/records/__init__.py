"""Records: the repeated regions of a page, found with or without a sample, lifted into tables."""
