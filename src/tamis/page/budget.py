"""One bound on copies: what a page or a caller says once, and results repeat in many places."""

from __future__ import annotations

FREE = 1_000_000  #: Characters that may be copied whatever the size of the page.
TIMES = 4  #: Characters besides, for each character of the page.


class Budget:
    """Count the characters that a result holds beyond those of its page: addresses before links, headings above chunks, spanned cells.

    What is above the budget is left out, so that results stay in proportion to the page. Ordinary pages take less than a hundredth of it.

    >>> budget = Budget(10)
    >>> budget.take(1_000, 1_000), budget.take(41), budget.take(40), budget.take(1)
    (True, False, True, False)
    """

    __slots__ = ("left",)

    def __init__(self, size: int) -> None:
        self.left = FREE + TIMES * size

    def take(self, length: int, copies: int = 1) -> bool:
        """Take some copies of a text of a length; return whether the budget allows them."""
        if length * copies > self.left:
            return False
        self.left -= length * copies
        return True
