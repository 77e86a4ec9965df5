"""Same-layer noise: blocks of a page that its same-layer pages have as well (Yuan, Zhang, Jiang, Zhao 2006)."""
