"""Near-duplicates: which texts are the same, or part of one another, and which of them to keep. The room knows texts only."""
