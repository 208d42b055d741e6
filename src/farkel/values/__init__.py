"""Games of two that were solved before they are asked for: their values in short numbers, which come with Farkel.

Rule sets of the catalogue that take long to solve have a file of values. It holds the winning chances at the start of
every turn, in steps so small that no decision loses more than `MOST_LOST` by them.
"""

from typing import TYPE_CHECKING

from farkel.support.lazy import offers

if TYPE_CHECKING:
    from farkel.values.duels import duel
    from farkel.values.files import MOST_LOST, is_at_hand, is_kept, packed, read_header, read_values
    from farkel.values.places import LOOK, content, kept_names
else:
    __getattr__, __dir__ = offers(__name__)

__all__ = [
    "LOOK",
    "MOST_LOST",
    "content",
    "duel",
    "is_at_hand",
    "is_kept",
    "kept_names",
    "packed",
    "read_header",
    "read_values",
]
