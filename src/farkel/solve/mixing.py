"""Fewer sweeps where everything is swept again and again: Anderson's mixing.

Of the last few sweeps, those are added up whose changes cancel best (Anderson 1965; Walker and Ni 2011). Near the
solution a sweep is a linear map, and what it changes least slowly is found from its own history.
"""

from __future__ import annotations

import numpy as np

from farkel.solve.program import Values

DEPTH = 10


class Mixing:
    """The history of some sweeps over the same values."""

    def __init__(self) -> None:
        self._before: list[Values] = []
        self._change: list[Values] = []
        self._least = np.inf

    def mixed(self, before: Values, after: Values) -> Values:
        """What to start the next sweep from, where the last one made ``after`` of ``before``."""
        change = after - before
        moved = float(np.abs(change).max())
        if moved > 2 * self._least:  # the mixture led astray: forget what it came from
            self._before, self._change, self._least = [], [], np.inf
            return after
        self._least = min(self._least, moved)
        self._before = [*self._before[-DEPTH:], before]
        self._change = [*self._change[-DEPTH:], change]
        if len(self._before) < 3:
            return after
        changes, starts = np.diff(self._change, axis=0), np.diff(self._before, axis=0)
        weights = np.linalg.lstsq(changes @ changes.T, changes @ change, rcond=1e-12)[0]
        return np.clip(after - weights @ (starts + changes), 0.0, 1.0)
