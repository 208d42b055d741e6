"""The players in the documentation do what their docstrings say, and beat whom they say they beat."""

from __future__ import annotations

import random
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import farkel
from farkel.game import Action, Keep, State, legal_actions
from farkel.players import Player

DOCS = Path(__file__).parents[2] / "docs"


@cache
def example(page: str, name: str) -> type[Any]:
    """The class of that name on a page, with what stands around it in its block."""
    blocks = re.findall(r"^```python\n(.*?)^```", (DOCS / page).read_text("utf-8"), re.DOTALL | re.MULTILINE)
    (block,) = (block for block in blocks if f"class {name}" in block)
    found: dict[str, Any] = {"__name__": name}
    exec(compile(block, page, "exec"), found)
    made: type[Any] = found[name]
    return made


PATIENT, GREEDY = ("tutorials/python.md", "Patient"), ("arena.md", "Greedy")


class Checked:
    """A player whose decisions are compared with its docstring."""

    def __init__(self, player: Player) -> None:
        self.player, self.name, self.banks = player, player.name, 0

    def decide(self, state: State, generator: random.Random) -> Action:
        action = self.player.decide(state, generator)
        keeps = [one for one in legal_actions(state) if isinstance(one, Keep)]
        assert isinstance(action, Keep)
        enough = [one for one in keeps if one.then == "bank" and state.turn_total(one) >= 300]
        banks = action.then == "bank"
        assert banks == bool(enough) or not any(one.then == "roll" for one in keeps)
        same = [one for one in keeps if one.then == action.then or not banks]
        if banks or self.name == "greedy":
            assert state.turn_total(action) == max(map(state.turn_total, same))
        else:
            assert len(action.dice) == min(len(one.dice) for one in same)
        self.banks += banks
        return action


@pytest.mark.parametrize("place", [PATIENT, GREEDY])
def test_an_example_does_what_its_docstring_says(place: tuple[str, str]) -> None:
    kind = example(*place)
    assert "anks once the turn total reaches 300" in str(kind.__doc__)
    player = Checked(kind())
    farkel.simulate("extended", [player, "bold"], 50, 7)
    assert player.banks > 500


@pytest.mark.parametrize("place", [PATIENT, GREEDY])
def test_an_example_beats_whom_it_says_it_beats(place: tuple[str, str]) -> None:
    kind = example(*place)
    (other,) = re.findall(r"Beats `(.*)`\.", str(kind.__doc__))
    wins, losses = farkel.simulate("extended", [kind(), other], 1_000, 7).tally.wins
    assert wins > losses + 2 * 1_000**0.5  # more than chance explains


def test_an_example_plays_rules_with_offers() -> None:
    result = farkel.simulate("build-on", [example(*PATIENT)(), example(*GREEDY)(), "cautious"], 20, 7)
    assert not result.forfeits


def test_the_turn_total_of_a_keep_is_one_call() -> None:
    state = farkel.apply(farkel.new_game("minimal", 2), farkel.Throw((1, 2, 3, 3, 3, 5)))
    state = farkel.apply(state, Keep((3, 3, 3), "roll"))
    state = farkel.apply(state, farkel.Throw((1, 2, 5)))
    assert state.points == 300
    assert state.turn_total(Keep((1, 5), "bank")) == state.turn_total((1, 5)) == 450
    assert state.turn_total(Keep((2,), "roll")) == 0
