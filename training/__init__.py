"""Training: from pages with gold to the weights of the node model, and how well it does on pages that it has not seen."""
