"""Scores where no player may rest: pits to be left in one turn, forbidden scores, fatal ones, and barrels (Z1-Z6)."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Literal, NamedTuple, get_args

from farkel.support.bounds import clipped

Kind = Literal["leave", "never", "zero", "barrel"]
"""A seat inside may only bank what brings it out; no bank may end inside; a bank that ends inside loses the whole
score; and a pit at whose lower edge a seat stands, with this many tries."""
KINDS: tuple[Kind, ...] = get_args(Kind)
MOST_ZONES = 10
MOST_SCORE = 10_000_000
MOST_TRIES = 1_000
FORM = 'such as "200-300 leave; 400-499 never; 555 zero; 880-999 barrel tries 3 fine 100 times 3"'
_ZONE = re.compile(r"(\d{1,8})(?:\s*-\s*(\d{1,8}))?\s+([a-z]+)((?:\s+[a-z]+\s+\d{1,8})*)")


class Zone(NamedTuple):
    """Scores from the first to the last one, and their effect."""

    first: int
    last: int
    kind: Kind
    tries: int = 0
    """Turns that may fail on a barrel."""
    fine: int = 0
    """Points lost by a player who is thrown off a barrel."""
    times: int = 0
    """So often thrown off a barrel a seat loses its whole score; 0: never."""

    @property
    def scores(self) -> str:
        """The scores, as people write them."""
        return f"{self.first}-{self.last}" if self.last > self.first else str(self.first)

    @property
    def text(self) -> str:
        """The zone in its one form."""
        barrel = [f"tries {self.tries}", f"fine {self.fine}", *([f"times {self.times}"] if self.times else [])]
        return " ".join([self.scores, self.kind, *(barrel if self.kind == "barrel" else [])])


def read_zones(text: str) -> tuple[Zone, ...]:
    """Return the zones of a text, in ascending order.

    Raises `ValueError` that says what is wrong and what would be right.
    """
    parts = [part.strip() for part in re.split("[;,]", text.lower()) if part.strip()]
    if len(parts) > MOST_ZONES:
        raise ValueError(f"zones has {len(parts)} parts: at most {MOST_ZONES} are read")
    found = sorted(map(_zone, parts))
    for one, other in pairwise(found):
        if other.first <= one.last:
            raise ValueError(f"zones: {one.scores} and {other.scores} overlap; let one end below the other")
    return tuple(found)


def zones_text(zones: tuple[Zone, ...]) -> str:
    """Return the zones as a text that reads back equal."""
    return "; ".join(zone.text for zone in zones)


def _zone(text: str) -> Zone:
    match = _ZONE.fullmatch(text)
    kind = next((kind for kind in KINDS if match and match[3] == kind), None)
    if match is None or kind is None:
        raise ValueError(f'zones: "{clipped(text)}" is not allowed; write scores and what they do, {FORM}')
    words = re.findall(r"([a-z]+)\s+(\d+)", match[4])
    said = {word: int(number) for word, number in words}
    zone = Zone(int(match[1]), int(match[2] or match[1]), kind, **{k: v for k, v in said.items() if k in BARREL})
    _check_numbers(zone)
    if len(said) < len(words) or set(said) - set(BARREL) or (kind != "barrel" and said):
        raise ValueError(f'zones: "{clipped(text)}" is not allowed; only a barrel has tries, a fine and times, {FORM}')
    if kind == "barrel" and (zone.tries == 0 or zone.fine == 0):
        raise ValueError(
            f'zones: the barrel {zone.scores} needs tries and a fine above 0, such as "{zone.scores} barrel tries 3 '
            f'fine 100"'
        )
    return zone


def _check_numbers(zone: Zone) -> None:
    if zone.first > zone.last:
        raise ValueError(f"zones: {zone.first}-{zone.last} is empty; write the lower score first")
    if zone.last > MOST_SCORE or zone.tries > MOST_TRIES or zone.times > MOST_TRIES or zone.fine > MOST_SCORE:
        raise ValueError(f"zones: a number of {zone.scores} is too large; scores go up to {MOST_SCORE:,}")


BARREL = ("tries", "fine", "times")
