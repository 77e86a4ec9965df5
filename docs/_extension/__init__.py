"""What these pages need beyond Sphinx: reference pages made of the code, and formulas without scripts."""
