"""A word of `rolled` that is new is refused aloud by whatever does not know it, and never taken for another."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from farkel.coach import PositionError, doubts, position
from farkel.errors import RulesError, SolveError
from farkel.game import Note, Throw, apply, scoring
from farkel.game.law import terms as numbers
from farkel.game.scoring import RollEnding, score_table
from farkel.game.story import facts
from farkel.kernels.law import table
from farkel.rules import Rules, load, pattern_tables, sheet
from farkel.rules.settings import PLAIN, SPECIAL, special
from farkel.simulation import simulate
from farkel.solve import best_race, best_turn, duel, odds, positions
from farkel.terminal.commands.rules.score import roll_line, roll_text
from farkel.web.rules import pattern_rows
from games_in_words import on_turn
from named_rules import rules_of

SPEC = 'standard(rolled.66="{}")'
SIXES = (1, 2, 3, 4, 6, 6)


@pytest.fixture
def rules(monkeypatch: pytest.MonkeyPatch) -> Rules:
    """Rules with the word, as if somebody had begun to add it."""
    monkeypatch.setattr(pattern_tables, "THENS", ("skip", *pattern_tables.THENS))
    monkeypatch.setattr(pattern_tables, "ENDS", ("skip", *pattern_tables.ENDS))
    return load(SPEC.format("skip"))


def scored(rules: Rules, monkeypatch: pytest.MonkeyPatch) -> Rules:
    """The same once the score table knows the word."""
    monkeypatch.setattr(scoring, "ENDINGS", {**scoring.ENDINGS, "skip": RollEnding(farkle=True)})
    return rules


@pytest.mark.parametrize("ask", [score_table, odds, table])
def test_the_score_table_refuses_a_word_that_it_does_not_know(rules: Rules, ask: Callable[[Rules], object]) -> None:
    with pytest.raises(RulesError, match='the score table does not know what "skip" means'):
        ask(rules)


def test_the_law_refuses_a_word_that_it_does_not_know(rules: Rules, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = scored(rules, monkeypatch)
    assert score_table(rules)[SIXES].farkle
    for play in (
        lambda: apply(on_turn(rules, 0, 0), Throw(SIXES)),
        lambda: simulate(rules, ["cautious", "bold"], 10),
        lambda: table(rules),  # of the arena and the environments
    ):
        with pytest.raises(RulesError, match='the law does not know what "skip" means'):
            play()


def test_the_solver_and_the_coach_refuse_a_word_without_being_told(
    rules: Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = scored(rules, monkeypatch)
    assert [one.name for one in special(rules)] == ["rolled.skip"]
    monkeypatch.setattr(numbers, "OUTCOMES", numbers.OUTCOMES | {"skip": numbers.Outcome.ZERO})
    for solve in (best_turn, best_race, duel, positions):
        with pytest.raises(SolveError, match=r'^rolled\.66 = "skip" is not solved') as refused:
            solve(rules)
        assert refused.value.code == "rolled.skip"
    with pytest.raises(PositionError, match=r"66 = .skip"):
        position(rules, scores=(0, 0))
    assert [doubt.code for doubt in doubts(on_turn(rules, 0, 0), Note(50, 5))] == ["not_known"]


def test_whoever_speaks_of_a_word_refuses_one_that_has_no_sentence(
    rules: Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = scored(rules, monkeypatch)
    monkeypatch.setattr(numbers, "OUTCOMES", numbers.OUTCOMES | {"skip": numbers.Outcome.ZERO})
    before, throw = on_turn(rules, 0, 0), Throw(SIXES)
    speakers: dict[str, Callable[[], object]] = {
        "the log": lambda: facts(before, throw, apply(before, throw)),
        "the sheet": lambda: sheet(rules),
        "farkel score": lambda: roll_text(rules, SIXES),
    }
    for speaker, speak in speakers.items():
        with pytest.raises(RulesError, match=f'{speaker} does not know what "skip" means'):
            speak()
    with pytest.raises(RulesError, match="farkel score does not know"):
        roll_line(rules, SIXES)
    with pytest.raises(RulesError, match='the editor does not know what "skip" means'):
        pattern_rows.rows_of(load('standard(rolled.66={then="skip", when="first_roll"})'))


def test_the_words_that_there_are_are_known_to_all_and_differ() -> None:
    words = {"", *pattern_tables.THENS}
    assert set(scoring.ENDINGS) == set(numbers.OUTCOMES) == words - {"bank"}
    assert set(pattern_rows.THENS["rolled"]) == words
    assert set(pattern_rows.THENS["scoring"]) == {"", *pattern_tables.PAY_THENS}
    assert set(pattern_rows.WHENS) == {"", *pattern_tables.WHENS}
    assert SPECIAL.isdisjoint(PLAIN)
    after = {word: apply(on_turn(rules_of(SPEC.format(word)), 500, 0), Throw(SIXES)) for word in pattern_tables.ENDS}
    assert len({state._replace(rules=rules_of("standard")) for state in after.values()}) == len(pattern_tables.ENDS)
