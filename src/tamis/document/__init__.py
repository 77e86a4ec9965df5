"""A page's kept text and metadata, and its renderings."""
