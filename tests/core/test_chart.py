"""The strategy card."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from farkel.coach import (
    advise,
    position,
)
from farkel.coach.advice import EVEN
from farkel.coach.chart import _first_run, banks_from, make_card
from farkel.coach.positions import totals
from farkel.solve import DiceOdds, duel
from small_games import Gain, small

TURN: Any = SimpleNamespace(expected_points=100.0, bank_at={1: 100, 2: 200, 3: 300, 4: 400, 5: None})
"""What a chart takes from the best turn."""


@pytest.mark.parametrize(
    ("right", "expected"),
    [
        ("......", None),
        ("..####", (300, None)),
        ("..#######", (300, None)),
        ("..######......######", (300, 800)),
        ("..######.....######", (300, None)),
        ("..#####......######", (1400, None)),
        (".#.#.#", (600, None)),
    ],
)
def test_a_threshold_passes_over_few_exceptions(right: str, expected: tuple[int, int | None] | None) -> None:
    assert _first_run((100 * place, mark == "#") for place, mark in enumerate(right, 1)) == expected


@pytest.fixture
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


@pytest.mark.usefixtures("_cache")
@pytest.mark.parametrize("game", ["at once", "last turns", "exact"])
def test_thresholds_are_the_lowest_totals_to_bank(game: str) -> None:
    rules = small(game)
    evaluator = duel(rules)
    for own, other in ((0, 0), (200, 300), (300, 200)):
        for dice in range(1, 6):
            found = banks_from(evaluator, position(rules, scores=(own, other)), dice)
            wrong = 0
            for total in totals(rules, dice, 0, rules.target - own)[dice == 5 :]:
                best = advise(evaluator, Gain(), position(rules, scores=(own, other), turn=total, dice=dice))
                banks = any(option.banks and option.cost < EVEN for option in best.options)
                expected = found is not None and found[0] <= total <= (found[1] or total)
                wrong += banks != expected
            assert wrong < 6


@pytest.mark.usefixtures("_cache")
@pytest.mark.parametrize(
    "game",
    [
        "at once",
        "take over",
        "lives",
        *(pytest.param(game, marks=pytest.mark.slow) for game in ("last turns", "stakes", "exact", "equal turns")),
    ],
)
def test_a_card_has_all_its_tables(game: str) -> None:
    rules = small(game)
    evaluator = duel(rules)
    odds = {dice: DiceOdds(*[Fraction(1, 3)] * 3) for dice in range(1, 6)}
    told: list[tuple[float, float]] = []
    card = make_card(rules, evaluator, TURN, odds, lambda done, of: told.append((done, of)))
    assert card.first_player_wins == evaluator.chances(position(rules, scores=(0, 0)))[0]
    takes = {"take over": 1, "stakes": 1, "lives": 1}.get(game, 0)
    assert [table.name for table in card.tables] == ["odds", "bank", *["grid"] * 4, *["take"] * takes]
    assert len(told) == len(card.tables)
    for table in card.tables:
        assert len(table.cells) == len(table.labels)
        assert all(len(cells) == len(table.columns) for cells in table.cells)
    bank = card.tables[1]
    assert bank.labels[0].startswith("getting on the board" if rules.entry else "early")
    assert bank.cells[-1] == (100, 200, 300, 400, "roll")
