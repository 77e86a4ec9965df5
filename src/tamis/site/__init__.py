"""A site's template: learned from some of its pages, applied to all of them."""
