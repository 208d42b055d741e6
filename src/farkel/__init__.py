"""Farkel: the dice game Farkle in all its forms, under any house rules.

The parts are imported from their modules: ``farkel.rules`` (house rules as data), ``farkel.dice``, ``farkel.scoring``
(rules compiled into a score table), ``farkel.game`` (the engine), ``farkel.facts``, ``farkel.record``,
``farkel.players`` and ``farkel.match``. ``import farkel`` itself loads nothing heavy; ``farkel.Rules`` is
loaded when it is asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from farkel.rules import Rules as Rules

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Load the rules when somebody asks for ``farkel.Rules``. Raises `AttributeError` for any other name."""
    if name == "Rules":
        return import_module("farkel.rules").Rules
    raise AttributeError(f"module 'farkel' has no attribute {name!r}")
