"""Same-layer noise: a block of a page that also stands in its same-layer pages (Yuan, Zhang, Jiang, Zhao 2006)."""
