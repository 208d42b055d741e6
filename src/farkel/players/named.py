"""Players that print as their names."""

from __future__ import annotations


class Named:
    """A player that prints as its name."""

    name: str

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<player {self.name}>"
