"""The card that people play by: its words are what the bot plays, and its figures hold."""

from __future__ import annotations

import json
import random
import re
from itertools import count
from math import sqrt
from pathlib import Path

import pytest
from click.testing import CliRunner

from farkel.coach.card import bank_rows, texts
from farkel.coach.policies import policy_of
from farkel.dice import FACES
from farkel.errors import PlayerError
from farkel.game import Action, Keep, State, Throw, apply, legal_actions, new_game
from farkel.players import make_player, tuning
from farkel.players.card import Card
from farkel.players.card_numbers import Numbers
from farkel.rules import Rules
from farkel.solve import duel
from farkel.solve.evaluation import FollowedPolicy, Perfect, match, table
from farkel.support.progress import silent
from farkel.terminal.cli import main
from named_rules import rules_of

QUICK = "minimal(target=800, finish=last_turns)"


@pytest.fixture(autouse=True)
def _solutions(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "solutions"))


def number(pattern: str, text: str) -> int | None:
    """The number in a sentence, if the card has that sentence."""
    found = re.search(pattern.replace("#", r"([\d,]+)"), text)
    return int(found[1].replace(",", "")) if found else None


class Reader:
    """Plays what a card says, and knows nothing but its words."""

    def __init__(self, rules: Rules, rows: tuple[tuple[str, str], ...], text: str) -> None:
        self.rules, self.text = rules, text
        self.bank: dict[int, int] = {}
        for left, least in rows:
            if least != "always roll":
                ends = [int(each) for each in re.findall(r"\d+", left)]
                self.bank |= dict.fromkeys(range(ends[0], ends[-1] + 1), int(least.replace(",", "")))

    def decide(self, state: State) -> Action:
        rules, text, mine = self.rules, self.text, state.mine
        others = [seat.score for place, seat in enumerate(state.seats) if place != state.seat]
        actions = legal_actions(state)
        points = {dice: kept.points for dice, kept in (state.scored.keeps if state.scored else {}).items()}
        rolled_next = {dice: state.dice - len(dice) or rules.dice for dice in points}
        everything = max(points, key=lambda dice: (points[dice], rolled_next[dice]))
        each = number("plus # for each die you roll next", text)
        keep = everything
        if each is not None:
            keep = max(points, key=lambda dice: (points[dice] + each * rolled_next[dice], points[dice]))
        if rolled_next[everything] == 1 and self.single(state, max(others), mine.score):
            keep = everything
        bank, roll = Keep(everything, "bank"), Keep(keep, "roll")
        if bank not in actions or not self.banks(state, bank, points, rolled_next, keep, max(others), mine.score):
            return roll
        return bank

    def doubles(self, other: int, score: int) -> bool:
        """Whether the numbers in the table are raised."""
        return "leads you by at least as many" in self.text and other - score >= self.rules.target - other

    def only_wins(self, other: int, score: int) -> bool:
        alone = number("Once an opponent has # or more, bank only if that wins", self.text)
        both = number("together need no more than # points", self.text)
        near = alone is not None and other >= alone
        return near or (both is not None and 2 * self.rules.target - score - other <= both)

    def single(self, state: State, other: int, score: int) -> bool:
        """Whether the rule about a single die applies."""
        if "leaves exactly one die" not in self.text:
            return False
        past = "If" in self.text and "somebody else has reached the target" in self.text and other >= self.rules.target
        entering = "you are not on the board yet" in self.text and not state.mine.on_board
        return past or entering or self.doubles(other, score) or self.only_wins(other, score)

    def banks(
        self,
        state: State,
        bank: Keep,
        points: dict[tuple[int, ...], int],
        rolled_next: dict[tuple[int, ...], int],
        keep: tuple[int, ...],
        other: int,
        score: int,
    ) -> bool:
        text, rules = self.text, self.rules
        after, total = apply(state, bank), state.points + points[bank.dice]
        if after.result is not None and state.seat in after.result.winners:
            return True
        if "Once somebody else has reached the target" in text and other >= rules.target:
            return score + total > other
        if self.only_wins(other, score):
            return False
        lead = number("the table still counts, but bank only if you are then # points or more ahead", text)
        if lead is not None and score + total >= rules.target and score + total < other + lead:
            return False
        half = 2
        if self.doubles(other, score):
            half = 4 if "double the numbers" in text else 3
        left = rolled_next[keep]
        cost = points[bank.dice] - points[keep]
        few = number("or more and cost you # points or less", text)
        most = number("nothing at all once your turn total is # or more", text)
        if few is not None and left >= rules.dice - 1 and cost <= (0 if most is not None and total >= most else few):
            return False
        numbers = [rolled_next[bank.dice]]
        if few is not None and left == rules.dice - 2:
            numbers.append(rules.dice - 3)
        return all(dice in self.bank and 2 * total >= half * self.bank[dice] for dice in numbers)


@pytest.mark.parametrize("spec", ["minimal(target=2000)", "standard(target=2000)", "zonk-andrews(target=2000)"])
def test_the_bot_plays_the_card_word_for_word(spec: str) -> None:
    rules, chance = rules_of(spec), random.Random(spec)
    for game in count():
        bank = tuple(chance.randrange(100, 800, 50) for _ in range(2 if rules.dice == 5 else 3))
        others = (chance.choice((0, each, 2 * each)) for each in (100, 150, 400, 50, 200, 300))
        numbers = Numbers(bank, *others, *chance.choices((0, 1)))
        text = " ".join(sentence for _, sentence in texts(rules, numbers))
        reader, bot = Reader(rules, bank_rows(rules, numbers), text), Card(numbers)
        state = new_game(rules, (1, 1, 1))
        while not state.over:
            if due := state.dice_due:
                state = apply(state, Throw(tuple(sorted(chance.choices(FACES, k=due)))))
                continue
            decided = bot.decide(state, chance)
            assert decided == reader.decide(state), (numbers, state)
            state = apply(state, decided)
        if game == 15:
            return


@pytest.mark.slow
def test_a_card_is_found_printed_and_wins_more_than_the_play_for_points() -> None:
    result = CliRunner().invoke(main, ["chart", "--rules", QUICK, "--json"])
    found = json.loads(result.stdout)
    rules = rules_of(QUICK)
    told = table(rules)
    perfect = Perfect(told, duel(rules)).ends
    numbers = Numbers(**{**found["numbers"], "bank": tuple(found["numbers"]["bank"])})
    assert numbers == make_player("card").numbers_of(rules)  # type: ignore[attr-defined]
    card = FollowedPolicy(told, tuning.CardPolicy(numbers)).ends
    assert found["wins"] == pytest.approx(match(told, card, perfect).wins, abs=1e-12)
    turn = FollowedPolicy(told, policy_of(make_player("turn"), rules)).ends
    assert found["wins"] > match(told, turn, perfect).wins + 0.01
    assert 0.4 < found["worst"] <= found["wins"]
    assert sum(map(bool, (*numbers.bank, numbers.die, numbers.few, numbers.most, numbers.end, numbers.both))) <= 8
    assert any(one["worth"] for one in found["sentences"])
    text = CliRunner().invoke(main, ["chart", "--rules", QUICK]).stdout
    assert f"this card wins {found['wins']:.1%} against perfect play" in " ".join(text.split())


def test_a_card_is_drawn_on_half_a_page(tmp_path: Path) -> None:
    picture = tmp_path / "card.pdf"
    result = CliRunner().invoke(main, ["chart", str(picture), "--rules", "minimal(target=300)"])
    assert result.stdout == f"The card is in {picture}\n"
    assert picture.read_bytes().startswith(b"%PDF")


def test_rules_without_a_card_are_refused_by_the_name_of_a_field() -> None:
    result = CliRunner().invoke(main, ["chart", "--rules", "build-on"])
    assert "it sets take_over.price" in result.output
    assert "--full" in result.output
    with pytest.raises(PlayerError, match=r"take_over\.price.*take bot:turn"):
        Card().check(rules_of("build-on"), (1, 1))


def test_kept_numbers_that_are_damaged_are_searched_for_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = rules_of("minimal(target=700)")
    path = tuning._path(rules)
    path.parent.mkdir(parents=True, exist_ok=True)
    for damaged in ("", "{}", '{"bank": [1], "die": "2"}', "[" * 900):
        path.write_text(damaged)
        tuning._cards.pop(rules.digest, None)
        assert not tuning.has_card(rules)
    found = tuning.numbers_of(rules, silent)
    tuning._cards.pop(rules.digest)
    assert tuning.has_card(rules)
    assert tuning.numbers_of(rules, silent) == found


@pytest.mark.parametrize(
    ("spec", "least"),
    [
        pytest.param("minimal(target=3000)", 0.493, marks=pytest.mark.slow),
        pytest.param("minimal", 0.493, marks=pytest.mark.full),
        pytest.param("standard", 0.489, marks=pytest.mark.full),
    ],
)
def test_cards_win_nearly_half_of_the_games_against_perfect_play_also_when_played(spec: str, least: float) -> None:
    from farkel.simulation import simulate

    rules = rules_of(spec)
    told = table(rules)
    policy = tuning.CardPolicy(tuning.numbers_of(rules, silent))
    wins = match(told, FollowedPolicy(told, policy).ends, Perfect(told, duel(rules)).ends).wins
    assert wins > least
    games = 2000
    tally = simulate(spec, ["card", "exact"], games, 1).tally
    assert abs(tally.wins[0] / games - wins) < 4 * sqrt(0.25 / games)
