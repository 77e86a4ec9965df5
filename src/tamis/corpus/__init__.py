"""The corpus pipeline: pages in, clean documents out, on one machine or many, each page once."""
