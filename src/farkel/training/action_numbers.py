"""The actions of a rule set as numbers from 0: what every environment takes, and the mask of those that are legal.

A keep is named by how many dice it sets aside and by its rank among the keeps of the roll with as many dice, in the
order of the score table: most points first. So a number means much the same whatever was rolled, and there are few of
them: sixteen keeps in most rule sets, where there are hundreds of sets of dice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from farkel.errors import EnvError
from farkel.game import Action, Keep, Phase, State, TakeOver, Then, legal_actions
from farkel.game.scoring import Kept, every_scored
from farkel.rules import AnyRules, Rules, as_rules

Mask = NDArray[np.int8]
"""[action]: 1 if the action is legal, else 0."""

THENS: tuple[Then, Then] = ("roll", "bank")
MOST_KEPT = 1 << 16


class Slot(NamedTuple):
    """A way to keep: this many dice, and the rank (from 0) among the keeps of as many dice, most points first."""

    dice: int
    rank: int


class Legal(NamedTuple):
    """The legal actions of a state."""

    mask: Mask
    """Read only: copy it before it is given away."""
    actions: tuple[Action | None, ...]
    """The action of each number, None if it is not legal."""


class Actions:
    """The action space of a rule set: ``size`` numbers.

    ``2 * slot + 0`` keeps ``slots[slot]`` and rolls on, ``2 * slot + 1`` keeps it and banks. If the rules know a
    take-over, ``2 * len(slots)`` starts fresh and ``2 * len(slots) + k`` takes over k dice, 1 to all.
    """

    def __init__(self, rules: AnyRules) -> None:
        self.rules = rules = as_rules(rules)
        ranked = [_ranked(scored.keeps.values()) for scored in every_scored(rules)]
        self.slots = tuple(sorted({slot for keeps in ranked for slot in keeps}))
        """Every way to keep that some roll offers: fewest dice first, then by rank."""
        place = {slot: number for number, slot in enumerate(self.slots)}
        self.keeps: tuple[dict[int, Kept], ...] = tuple(
            {place[slot]: kept for slot, kept in keeps.items()} for keeps in ranked
        )
        """[roll]: its keeps, by the number of their slot; rolls are numbered as `State.rolled` has them."""
        self.fresh = 2 * len(self.slots)
        """The number of starting fresh, if there is a take-over."""
        self.size = self.fresh + (1 + rules.dice if rules.take_over.allowed else 0)
        self.nothing = Legal(_frozen(np.zeros(self.size, np.int8)), (None,) * self.size)
        """The mask when no action is legal."""
        self._numbers = [{kept.dice: 2 * slot for slot, kept in keeps.items()} for keeps in self.keeps]
        self._known: dict[tuple[int, ...], Legal] = {}
        """By the identities of the actions, which are shared by states: hashing them takes longer than finding them."""

    def index(self, state: State, action: Action) -> int:
        """Return the number of an action in a state. Raises `EnvError` for dice that are not a keep of the roll."""
        if isinstance(action, Keep):
            number = self._numbers[state.rolled].get(action.dice) if state.phase is Phase.KEEP else None
            if number is None or action.then not in THENS:
                raise EnvError("illegal_action", f"{action} is no keep of the roll {state.roll}")
            return number + THENS.index(action.then)
        return self.fresh + (action.dice if isinstance(action, TakeOver) else 0)

    def action(self, state: State, index: int) -> Action:
        """Return the action of a number in a state. Raises `EnvError` ``illegal_action``, naming the legal ones."""
        legal = self.legal(state)
        found = legal.actions[index] if 0 <= index < self.size else None
        if found is None:
            numbers = np.flatnonzero(legal.mask).tolist()
            raise EnvError("illegal_action", f"action {index} is not legal now; legal are {numbers}")
        return found

    def legal(self, state: State) -> Legal:
        """Return the mask of legal actions in a state, all zeros if none is: as `farkel.game.legal_actions` says."""
        actions = legal_actions(state)
        key = tuple(map(id, actions))
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= MOST_KEPT:
                self._known.clear()
            found = self._known[key] = self._numbered(state, actions)
        return found

    def words(self, index: int) -> str:
        """Return the action of a number in words."""
        if index >= self.fresh:
            return "start fresh" if index == self.fresh else f"take over {_dice(index - self.fresh)}"
        slot = self.slots[index // 2]
        rank = f", rank {slot.rank}" if slot.rank else ""
        return f"keep {_dice(slot.dice)}{rank}, {THENS[index % 2]}"

    def _numbered(self, state: State, found: tuple[Action, ...]) -> Legal:
        mask = np.zeros(self.size, np.int8)
        actions: list[Action | None] = [None] * self.size
        for action in found:
            number = self.index(state, action)
            mask[number], actions[number] = 1, action
        return Legal(_frozen(mask), tuple(actions))


def actions(rules: AnyRules) -> Actions:
    """Return the action space of the rules, made once."""
    return _actions(as_rules(rules))


@lru_cache(maxsize=64)
def _actions(rules: Rules) -> Actions:
    return Actions(rules)


def _frozen(mask: Mask) -> Mask:
    mask.flags.writeable = False
    return mask


def _ranked(keeps: Iterable[Kept]) -> dict[Slot, Kept]:
    """Return the keeps of a roll by their slots; they come most points first."""
    found: dict[Slot, Kept] = {}
    count: Counter[int] = Counter()
    for kept in keeps:
        found[Slot(len(kept.dice), count[len(kept.dice)])] = kept
        count[len(kept.dice)] += 1
    return found


def _dice(number: int) -> str:
    return "1 die" if number == 1 else f"{number} dice"
