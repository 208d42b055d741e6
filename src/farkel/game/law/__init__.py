"""The rules of play: what may be done, and what follows from it. Each is said here and nowhere else.

A game is two rows of whole numbers: ``now``, and one of each seat in ``seats``. The functions change them. They are
plain Python that `farkel.game.engine` runs as it stands, and that `farkel.kernels` compiles for millions of games: the
rows are lists there and arrays here. Nothing here throws dice, knows names or faces, or makes a sentence.

Clause numbers are those of ``docs/rules.md``. ``docs/architecture.md`` says how to add a rule.
"""

from farkel.game.law.allowed import *
from farkel.game.law.between_turns import *
from farkel.game.law.rows import *
from farkel.game.law.turn import *
