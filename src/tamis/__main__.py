"""``python -m tamis``: the command line."""

from __future__ import annotations

from tamis.cli import main

if __name__ == "__main__":
    main()
