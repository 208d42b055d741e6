"""Farkel: the dice game Farkle in all its forms, under any house rules.

The parts are imported from their modules: ``farkel.rules`` (house rules as data), ``farkel.dice``, ``farkel.scoring``
(rules compiled into a score table), ``farkel.game`` (the engine), ``farkel.facts``, ``farkel.record``,
``farkel.players`` and ``farkel.match``. ``import farkel`` itself loads nothing heavy.
"""

__version__ = "0.1.0"
