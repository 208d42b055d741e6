"""What the library's values print as, and what notebooks show of them."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

import farkel
from farkel.bench import Course, JudgedGame, Score, Summary, agent_of
from farkel.coach import Account, Doubt, advise, position, review
from farkel.coach.card import Guide, Sentence, Thresholds
from farkel.coach.chart import Chart, ChartTable
from farkel.coach.regret import Regret
from farkel.coach.skill import Estimate, Pairing, Skill
from farkel.errors import FarkelError, PlayerError
from farkel.game import Fresh, Keep, Leave, Note, Offer, Result, TakeOver, Throw, apply, new_game
from farkel.game.scoring import open_sets, score_table
from farkel.kernels.arrays import zeros
from farkel.play.hints import Hint
from farkel.play.match import Bots, Match, Setup
from farkel.players import make_player, player_names
from farkel.players.card_numbers import Numbers
from farkel.records import DiceSpec, Seating
from farkel.records.fairness import judge
from farkel.records.figures import summarise
from farkel.rules import Scoring, Section, pattern_of, search, sheet, variations
from farkel.simulation import Batch, Forfeit, Interval, Tally, simulate
from farkel.solve import Cost, Field, HeadStart, best_race, best_turn, duel, odds
from farkel.solve.evaluation import PolicyMatch, Reply
from farkel.support.notebooks import table
from farkel.tournament.plan import Entrant, Fixture, RuleSet, TournamentPlan
from farkel.tournament.playing import run
from farkel.tournament.standings import Rating, Standing
from farkel.tournament.store import Lost, MatchOutcome

RULES = farkel.load("minimal(target=200, dice=3, start=first_seat)")


def played() -> Match:
    seats = [Seating("Ann <b>", ("Ann <b>",)), Seating("Ben", ("Ben",))]
    with TemporaryDirectory() as folder:
        match = Match.start(Setup(RULES, seats, "manual"), Path(folder) / "game.farkel", datetime(2026, 11, 21, 14, 3))
        for event in (Throw((1, 1, 1)), Keep((1, 1, 1), "bank")):
            match.act(event)
        match.close()
    return match


NO_VALUES = zeros(0), zeros(0)


def advice() -> Any:
    return advise(duel(RULES), best_turn(RULES), position(RULES, scores=(0, 0), roll=(1, 1, 2)))


VALUES: dict[str, tuple[Callable[[], Any], str]] = {
    "state": (lambda: apply(new_game(RULES), Throw((1, 2, 5))), "decides on 1-2-5"),
    "roll": (lambda: farkel.score("1-2-5", RULES), "1-2-5"),
    "turn": (lambda: best_turn(RULES), "points per turn"),
    "duel": (lambda: duel(RULES), "the first player wins"),
    "race": (lambda: best_race(RULES), "the target takes one player"),
    "simulation": (lambda: simulate(RULES, ["bold", "cautious"], 50, 1), "50 games, seed 1: bold wins "),
    "record": (lambda: played().record, "Ann <b> 1,000, Ben 0; won by Ann <b>"),
    "review": (lambda: review(duel(RULES), played().record), "Ann <b> gave away 0.0% in 1 decision"),
    "score table": (lambda: score_table(RULES), "chance of a farkle, by number of dice: 1: 66.7%, 2: 44.4%, 3: 27.8%"),
    "odds": (lambda: odds(RULES), "by number of dice: 1: farkle 66.7%, hot dice 33.3%, average points 25.0; 2: "),
    "policies": (
        lambda: PolicyMatch(0.5, 0.3, *NO_VALUES),
        "the first policy wins 40.0%: 50.0% if it begins, 30.0% if not",
    ),
    "best reply": (lambda: Reply(0.7, 0.5, *NO_VALUES), "the best reply wins 60.0%: 70.0% if it begins, 50.0% if not"),
    "advice": (advice, "Best: keep 1-1, bank.\n"),
    "match": (played, "won by Ann <b>"),
    "table of a chart": (lambda: CHART.tables[0], "One roll\ndice        1      2\nfarkle  66.7%  44.4%"),
    "regret": (lambda: Regret("bold", RULES, 0, {("opening", "keep"): 0.1}, 0.4, 0.0), "bold wins 40.0%"),
}


GUIDE = Guide(
    RULES,
    Numbers((300,), 0, 0, 0, 0, 0, 0, 0),
    (("1 or 2 dice", "300"), ("3 dice, or hot dice", "always roll")),
    (Sentence("Bank at the number in the table.", None), Sentence("Keep everything that scores.", 0.012)),
    (("each 1", "100"), ("each 5", "50")),
    0.48,
    0.47,
)
"""A card, made up."""
CHART: Chart = Chart(
    RULES,
    0.5,
    100.0,
    (
        ChartTable("odds", "One roll", "", "dice", ("1", "2"), ("farkle",), (("66.7%", "44.4%"),)),
        ChartTable(
            "bank", "When to bank", "Bank from here on.", "dice left", ("1", "2"), ("early",), ((1000, "roll"),)
        ),
        ChartTable("take", "When to take over", "", "dice on offer", ("1", "2"), ("early",), (("fresh", 350),)),
    ),
)
CHAIN = Fixture(1, "kcd", ("bold", "cautious"), 7)
PLAN = TournamentPlan(
    "", "round-robin", (RuleSet("kcd", "kcd", ""),), (Entrant("bold", ""), Entrant("turn", "")), 9, 2, 1, 7, 1.0
)

SENTENCES: dict[str, tuple[Callable[[], Any], str]] = {
    "match": (
        played,
        "minimal(dice=3, target=200), 2026-11-21 14:03: Ann <b> 1,000, Ben 0; won by Ann <b>",
    ),
    "header": (lambda: played().record.header, "Minimal Farkle (house rules), to 200: Ann <b> and Ben."),
    "bot's seat": (lambda: Seating("Cora", ("Cora",), "bot:bold"), "Cora (bot)"),
    "dice": (lambda: DiceSpec("seeded", "7"), "seeded 7"),
    "move": (lambda: played().record.moves[0], "Seat 1 rolls 1-1-1."),
    "step": (
        lambda: review(duel(RULES), played().record).steps[0],
        "Seat 1 rolls 1-1-1. Winning chances: 59.4% : 40.6% → 100.0% : 0.0%",
    ),
    "decision": (lambda: review(duel(RULES), played().record).decisions[0], "111: keep 1-1-1, bank (100.0%), good"),
    "account": (
        lambda: Account(
            0.5, 0.1, 0.03, 0.0, 0.0, 0.0, 0.0, 0.57, 7, Counter({"good": 5, "inaccuracy": 1, "mistake": 1})
        ),
        "start 50.0%, luck +10.0%, own errors -3.0%, end 57.0%; 7 decisions, 1 inaccuracy, 1 mistake, 0 blunders",
    ),
    "doubt": (lambda: Doubt("turn_unit", "7 points are impossible"), "7 points are impossible"),
    "turns of a seat": (
        lambda: summarise(played().moves, 2)[0],
        "1 turn, 0 farkles, best turn 1,000, 1,000 points per turn",
    ),
    "verdict": (
        lambda: judge(dict.fromkeys(range(1, 7), 10)),
        "Verdict: nothing speaks against these dice.\n"
        "Of all series of 60 fair dice, 100.0% are at least as uneven.\n"
        "If one face were off by 21 percentage points, 9 in 10 would look suspicious.",
    ),
    "rated action": (lambda: advice().best, "keep 1-1, bank: turn total 200, costs 0.0%"),
    "hint": (lambda: Hint(Keep((1,), "roll"), "You have no choice.", ()), "Keep 1 and roll on. You have no choice."),
    "estimate": (lambda: Estimate(0.5, 0.01, 900), "50.0% ±2.0%"),
    "estimate of one game": (lambda: Estimate(1.0, float("nan"), 1), "100.0%"),
    "skill": (
        lambda: Skill("Ann", Estimate(0.6, 0.1, 900), Estimate(0.55, 0.01, 900), 0.5),
        "Ann in 900 games: wins 60.0% ±19.6%, luck +5.0%, without luck 55.0% ±2.0%",
    ),
    "pairing": (
        lambda: Pairing("Ann", "Ben", Estimate(0.6, 0.1, 900), Estimate(0.55, 0.01, 900)),
        "Ann against Ben in 900 games: wins 60.0% ±19.6%, without luck 55.0% ±2.0%; Ann plays better",
    ),
    "rule of a card": (lambda: GUIDE.sentences[1], "Keep everything that scores. (worth 1.2%)"),
    "section": (
        lambda: Section("The aim", ("Be the first.",), (("each 1", "100"),)),
        "The aim\n-------\n* Be the first.\n  each 1      100",
    ),
    "variation": (
        lambda: variations("renaissance")[0],
        "no-piggybacking - Nobody starts with the dice of the player before",
    ),
    "search": (lambda: search("kcd")[0], "kcd: Short straights score, and the game is short."),
    "standing": (lambda: Standing("bold", 200, 109.0, 109, 0, 0.0), "bold wins 54.5% (47.6% to 61.3%) of 200 games"),
    "rating": (lambda: Rating(25.0, 1.0), "25.00 ± 1.96"),
    "tournament": (lambda: PLAN, "Round robin, 2 players, under kcd, seed 7"),
    "rules of a tournament": (lambda: PLAN.rules[0], "kcd"),
    "outcome": (
        lambda: MatchOutcome(CHAIN, 2, 58, 900),
        "bold against cautious under kcd, seed 7: 58 games won by cautious",
    ),
    "forfeit of a tournament": (
        lambda: Lost(CHAIN, Forfeit(3, 0, "illegal", "bold returned None")),
        "bold against cautious under kcd, seed 7, game 3: bold returned None",
    ),
    "keep": (lambda: Keep((5, 1), "bank"), "keep 1-5, bank"),
    "rolling on": (lambda: Keep((), "roll"), "roll"),
    "taking over": (lambda: TakeOver(2), "take over 2 dice"),
    "fresh": (lambda: Fresh(), "start fresh"),
    "throw": (lambda: Throw((1, 2, 5)), "roll 1-2-5"),
    "leaving": (lambda: Leave(1), "seat 2 leaves"),
    "entered turn": (lambda: Note(350, 2), "enter a turn: bank 350, 2 dice left"),
    "entered farkle": (lambda: Note(0, 3, True), "enter a turn: farkle, 3 dice rolled"),
    "skipped turn": (lambda: Note(0, 0), "skip the turn"),
    "kept dice": (lambda: farkel.score("1-1-1", RULES).best, "1-1-1 for 1,000 (hot dice)"),
    "combination": (lambda: score_table(RULES).split((1, 1, 1))[0], "three 1s for 1,000"),
    "pattern": (lambda: pattern_of("aaa"), "three of a kind"),
    "seat of a state": (lambda: new_game("original").seats[0], "0 points, 12 lives"),
    "offer": (lambda: Offer(350, 1), "350 points and 1 die"),
    "result": (lambda: Result((0, 2), "target"), "won by seat 1 and seat 3"),
    "no winner": (lambda: Result((), "rounds"), "won by nobody"),
    "odds of some dice": (lambda: odds(RULES)[3], "farkle 27.8%, hot dice 5.6%, average points 86.8"),
    "cost": (lambda: Cost(400, 256 << 20, 3 << 20), "400 positions; at most 256.0 MiB of memory and 3.0 MiB on disk"),
    "head start": (lambda: HeadStart(250, 0.512), "with 250 points for the second player, the first player wins 51.2%"),
    "interval": (lambda: Interval(0.4, 0.6), "40.0% to 60.0%"),
    "forfeit": (lambda: Forfeit(3, 0, "illegal", "bold returned None"), "game 3: bold returned None"),
    "batch": (
        lambda: Batch(9, 0, Tally.nothing(50, 1), []),
        "from game 9 on, 0 games: player 1 wins 0.0% (0.0% to 100.0%)",
    ),
    "course": (lambda: Course("chosen", (RULES,)), "chosen: 1 rule set"),
    "agent": (lambda: agent_of("turn", 1.0), "turn"),
    "score": (
        lambda: Score("turn", "chosen", RULES, Estimate(0.02, 0.001, 900), 9, 9, 0.5, {}, 0, ()),
        f"turn under {RULES} gives away 2.0% ±0.2% per game in 900 games, and wins 50.0%",
    ),
    "summary": (
        lambda: Summary("turn", "chosen", Estimate(0.02, 0.001, 900), 900, 0.5, 9, 0.5, 0),
        "turn, chosen: gives away 2.0% ±0.2% per game in 900 games, and wins 50.0%",
    ),
    "judged game": (lambda: JudgedGame(RULES, 3, 0, (), 1.0), f"game 3 under {RULES}: 1 won, 0.0% given away"),
}


@pytest.mark.parametrize("name", SENTENCES)
def test_a_value_prints_as_a_sentence(name: str) -> None:
    make, words = SENTENCES[name]
    assert str(make()) == words


@pytest.mark.parametrize("name", VALUES)
def test_a_value_prints_as_a_sentence_and_is_a_table_in_a_notebook(name: str) -> None:
    make, words = VALUES[name]
    value = make()
    assert words in str(value)
    shown = value._repr_html_()
    assert re.match(
        r"<table><caption>[^<]+</caption><thead><tr>(<th scope=\"col\">[^<]+</th>)+</tr></thead><tbody>", shown
    )
    assert "<b>" not in shown
    assert len(shown) < 4_000


def test_a_card_prints_as_it_is_played_by() -> None:
    assert str(GUIDE) == GUIDE.text(78)
    assert str(GUIDE).splitlines() == [
        f"How to play {RULES}",
        "",
        "dice left              bank from",
        "1 or 2 dice                  300",
        "3 dice, or hot dice  always roll",
        "",
        "1. Bank at the number in the table.",
        "2. Keep everything that scores. (worth 1.2%)",
        "",
        "What dice are worth",
        "each 1  100",
        "each 5   50",
        "",
        "Of games of two, this card wins 48.0% against perfect play, and at worst 47.0%",
        "against an opponent who knows it, both seats counted equally and exactly. What",
        "a rule is worth is how much less often the card wins without it.",
    ]
    assert max(map(len, GUIDE.text(40).splitlines()[1:])) <= 40


def test_a_card_in_a_notebook_has_its_tables_and_numbered_rules() -> None:
    shown = GUIDE._repr_html_()
    assert shown.startswith(f"<h3>How to play {RULES}</h3><table><caption>When to bank</caption>")
    assert (
        "<ol><li>Bank at the number in the table.</li><li>Keep everything that scores. (worth 1.2%)</li></ol>" in shown
    )
    assert "<caption>What dice are worth</caption>" in shown


def test_thresholds_print_as_a_table() -> None:
    found = Thresholds(((1, "250"), (2, "never")), 446.5714, True, ("Bank once your turn total reaches this number.",))
    assert str(found).splitlines() == [
        "446.5714 points per turn in the long run",
        "",
        "dice left    1      2",
        "bank from  250  never",
        "",
        "Bank once your turn total reaches this number.",
    ]
    assert found._repr_html_().startswith("<table><caption>446.5714 points per turn in the long run</caption>")


def test_a_chart_prints_all_its_tables_and_what_their_words_mean() -> None:
    assert str(CHART).splitlines() == [
        f"Best play under {RULES}",
        "Exact for two sides that both play their best: the one that starts wins 50.00%.",
        "",
        "One roll",
        "dice        1      2",
        "farkle  66.7%  44.4%",
        "",
        "When to bank. Bank from here on.",
        "dice left      1     2",
        "early      1,000  roll",
        "",
        "When to take over",
        "dice on offer      1    2",
        "early          fresh  350",
        "",
        "roll: never bank.",
        "Exceptions of a few totals are left out.",
        "fresh: start fresh, for up to 3,000 on offer.",
    ]
    assert CHART._repr_html_().count("<table>") == 3


def test_a_sheet_prints_as_its_text() -> None:
    assert f"{sheet(RULES)}\n" == sheet(RULES).text()


def test_rules_are_their_sheet_in_a_notebook() -> None:
    shown = RULES._repr_html_()  # type: ignore[attr-defined]
    assert shown == sheet(RULES)._repr_html_()
    assert shown.startswith(f"<h3>{RULES.title}</h3>")
    assert "<caption>What dice are worth</caption>" in shown


def test_cells_are_short_and_escaped() -> None:
    shown = table("a & b", [{"win_rate": 1 / 3, "games": 12_345, "who": "<i>", "rating": None, "exact": True}])
    assert "<caption>a &amp; b</caption>" in shown
    assert '<th scope="col">win rate</th>' in shown
    cells = re.findall(r"<td>(.*?)</td>", shown)
    assert cells == ["0.3333", "12,345", "&lt;i&gt;", "", "yes"]


@pytest.mark.parametrize("name", ["random", "cautious", "bold", "threshold:500", "turn", "exact", "race", "card"])
def test_a_player_prints_as_its_name(name: str) -> None:
    assert name.partition(":")[0] in " ".join(player_names())
    assert str(make_player(name)) == name
    assert repr(make_player(name)) == f"<player {name}>"


def test_a_field_prints_its_rules_and_seats() -> None:
    assert str(Field(duel(RULES), 3)) == f"{RULES}: winning chances with 3 seats, by a model of the others"


@pytest.mark.parametrize("names", [["Ann", "Ben"], "Ann", [1, "Ben"]])
def test_names_are_no_numbers_of_people(names: Any) -> None:
    with pytest.raises(PlayerError, match="say how many players there are, such as 2") as refused:
        new_game(RULES, names)
    assert refused.value.code == "bad_seats"


def test_a_pattern_that_is_none_is_refused_with_an_error_of_farkel() -> None:
    with pytest.raises(FarkelError) as refused:
        Scoring({"x": 3})
    assert refused.value.code == "bad_pattern"
    assert "x" in str(refused.value)


def test_bots_and_open_sets_take_rules_by_name() -> None:
    assert open_sets("minimal") == ((),)
    Bots("minimal", [Seating("Bold", ("Bold",), "bot:bold")]).check()


def test_a_tournament_from_python_prints_its_order_and_continues(tmp_path: Path) -> None:
    file = tmp_path / "league.toml"
    file.write_text('rules = ["kcd(target=500)"]\nplayers = ["cautious", "bold"]\ngames = 20\n', "utf-8")
    report = run(file)
    assert re.match(r"20 of 20 games played: 1\. \w+ \(\d+\.\d%\), 2\. \w+ \(\d+\.\d%\)$", str(report))
    assert report._repr_html_().startswith("<table><caption>20 of 20")
    assert run(str(file)).rows() == report.rows()


@pytest.mark.parametrize("module", ["spiel", "stable"])
def test_a_training_module_names_the_package_that_it_lacks(module: str) -> None:
    hidden = {"spiel": "pyspiel", "stable": "stable_baselines3"}[module]
    program = f"""
import importlib.util, sys

found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name == {hidden!r} else found(name, *more)
from farkel.errors import EnvError

try:
    import farkel.training.{module}
except EnvError as error:
    print(error.code, error.message)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert re.match(f"not_installed farkel.training.{module} needs {hidden}: .* -m pip install ", done.stdout)
