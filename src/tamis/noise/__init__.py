"""Noise: what the pages of a site share in the same place of their layouts, and what of a page is left without it."""
