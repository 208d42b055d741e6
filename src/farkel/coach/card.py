"""The card that people play by: half a page of numbers and sentences, and how well they do.

The sentences say what `farkel.players.card` plays, word for word; a test plays the words.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from textwrap import fill
from typing import NamedTuple

from farkel.players import knowledge, tuning
from farkel.players.card_numbers import Numbers, group
from farkel.rules import AnyRules, Rules, as_rules
from farkel.rules.sheets.scoring_table import scoring_rows
from farkel.solve import evaluation
from farkel.solve.evaluation import FollowedPolicy, Perfect, best_reply, match
from farkel.support.columns import aligned
from farkel.support.notebooks import listing, page, table
from farkel.support.progress import Progress, Steps, silent
from farkel.support.words import capital, counted_dice, listed

SEARCH = "Looking for the best card"
ANSWER = "Looking for the best answer to the card"
WEIGH = "Weighing the rules of the card"
STEPS = {SEARCH: 60.0, tuning.SOLVE: 2.0, tuning.FOLLOW: 12.0, ANSWER: 8.0, WEIGH: 8.0}
"""What a card takes, with the seconds of each step for the standard rules."""


class Sentence(NamedTuple):
    """A rule of the card."""

    text: str
    worth: float | None
    """How much less often the card wins without it; None for what no card can do without."""

    def __str__(self) -> str:
        return self.text if self.worth is None else f"{self.text} (worth {_worth(self.worth)})"


class Guide(NamedTuple):
    """The card of some rules, in words."""

    rules: Rules
    numbers: Numbers
    bank: tuple[tuple[str, str], ...]
    """Dice left, and the turn total to bank."""
    sentences: tuple[Sentence, ...]
    scoring: tuple[tuple[str, str], ...]
    """What dice are worth."""
    wins: float
    """How often it wins against perfect play, with both seats counted equally."""
    worst: float
    """The same against the best reply to the card."""

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return page(
            self.title,
            table("When to bank", ({"dice left": left, "bank from": total} for left, total in self.bank)),
            listing(self.sentences, "ol"),
            table("What dice are worth", ({"dice": dice, "points": points} for dice, points in self.scoring)),
            f"<p>{escape(self.figures)}</p>",
        )

    @property
    def title(self) -> str:
        return f"How to play {self.rules}"

    @property
    def figures(self) -> str:
        """How often the card wins, in words."""
        return (
            f"Of games of two, this card wins {self.wins:.1%} against perfect play, and at worst {self.worst:.1%} "
            "against an opponent who knows it, both seats counted equally and exactly. What a rule is worth is how "
            "much less often the card wins without it."
        )

    def text(self, width: int = 78) -> str:
        """Return the card as plain lines of at most ``width`` columns."""
        lines = [self.title, "", aligned([("dice left", "bank from"), *self.bank], "<>", width), ""]
        for number, one in enumerate(self.sentences, 1):
            lines.append(fill(f"{number}. {one}", width, subsequent_indent="   "))
        lines += ["", "What dice are worth", aligned(self.scoring, "<>", width), "", fill(self.figures, width)]
        return "\n".join(lines)


class Thresholds(NamedTuple):
    """The play for the most points in a turn, in words."""

    rows: tuple[tuple[int, str], ...]
    """Dice left, and the turn total to bank."""
    expected: float
    """Points of a turn, on average."""
    long_run: bool
    """Whether that is an average over many turns, as farkles in a row cost points."""
    sentences: tuple[str, ...]

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        rows = ({"dice left": dice, "bank from": total} for dice, total in self.rows)
        return table(capital(self.average), rows) + listing(self.sentences)

    @property
    def average(self) -> str:
        """The points of a turn, in words."""
        return f"{self.expected:,.4f} points per turn{' in the long run' if self.long_run else ''}"

    def text(self, width: int | None = None) -> str:
        """Return the points of a turn, and the totals to bank, as plain lines of at most ``width`` columns."""
        dice, totals = zip(*self.rows, strict=True)
        rows = [["dice left", *map(str, dice)], ["bank from", *totals]]
        return "\n".join([self.average, "", aligned(rows, "<" + ">" * len(dice), width), "", *self.sentences])


def guide(rules: AnyRules, progress: Progress = silent) -> Guide:
    """Return the card of the rules. Raises `SolveError` with the name of a field if there is none."""
    rules = as_rules(rules)
    tuning.check(rules)
    steps = Steps(progress, STEPS)
    numbers, told = tuning.numbers_of(rules, steps.begin(SEARCH)), evaluation.table(rules)
    perfect = Perfect(told, knowledge.solution(rules, steps.begin(tuning.SOLVE)), steps.begin(tuning.FOLLOW)).ends

    def wins(changed: Numbers) -> float:
        return match(told, FollowedPolicy(told, tuning.CardPolicy(changed)).ends, perfect).wins

    card = FollowedPolicy(told, tuning.CardPolicy(numbers)).ends
    often, worst = match(told, card, perfect).wins, 1 - best_reply(told, card, steps.begin(ANSWER)).wins
    sentences = _sentences(rules, numbers, often, wins, steps.begin(WEIGH))
    return Guide(rules, numbers, bank_rows(rules, numbers), sentences, scoring_rows(rules), often, worst)


def thresholds(rules: AnyRules) -> Thresholds:
    """Return the turn totals from which banking scores most. Raises `SolveError` if there is no such play."""
    rules = as_rules(rules)
    turn = knowledge.turn(rules)
    dice = sorted(turn.bank_at)
    totals = ((each in turn.may_bank, turn.bank_at[each]) for each in dice)
    cells = ("–" if not may else "never" if total is None else f"{total:,}" for may, total in totals)
    said = ["Bank once your turn total reaches this number; until then, keep rolling."]
    if len(turn.may_bank) < len(dice):
        said.append("–: the rules allow no bank that leaves this many dice.")
    if rules.entry:
        said.append(f"The entry score of {rules.entry:,} is needed only once; these numbers leave it out.")
    if rules.zones:
        said.append("These numbers also leave out the scores where nobody may rest.")
    rows = tuple(zip(dice, cells, strict=True))
    return Thresholds(rows, turn.expected_points, bool(rules.penalties.farkles_in_row), tuple(said))


def _worth(worth: float) -> str:
    return f"{worth:.1%}" if worth >= 0.0005 else "less than 0.1%"


def bank_rows(rules: Rules, numbers: Numbers) -> tuple[tuple[str, str], ...]:
    """Return the turn totals to bank, by dice left."""
    found: dict[int, list[int]] = {}
    for left in range(1, rules.dice - 1):
        found.setdefault(group(left), []).append(left)
    rows = [(_dice(each), f"{numbers.bank[place]:,}") for place, each in found.items()]
    return (*rows, (f"{rules.dice - 1} dice, or hot dice", "always roll"))


def _dice(left: list[int]) -> str:
    if len(left) == 1:
        return counted_dice(left[0])
    return f"{left[0]} {'or' if len(left) == 2 else 'to'} {left[-1]} dice"


def _sentences(
    rules: Rules, numbers: Numbers, often: float, wins: Callable[[Numbers], float], progress: Progress
) -> tuple[Sentence, ...]:
    found, said = list[Sentence](), texts(rules, numbers)
    for place, (name, text) in enumerate(said):
        progress(place, len(said))
        found.append(Sentence(text, often - wins(Numbers(**{**numbers._asdict(), name: 0})) if name else None))
    return tuple(found)


def texts(rules: Rules, numbers: Numbers) -> tuple[tuple[str, str], ...]:
    """Return the sentences, each with the number without which it is not there; ``""`` for those that are
    always there.
    """
    dice = rules.dice
    bank = (
        "If banking wins the game, bank. Otherwise count everything that scores and look at the dice that leaves: bank "
        "all of it once your turn total reaches the number in the table."
    )
    keep = "If you don't bank, keep "
    if numbers.die:
        keep += (
            f"the dice that count most: their points, plus {numbers.die:,} for each die you roll next ({dice} dice "
            "after hot dice). If two choices count the same, keep the one with more points."
        )
    else:
        keep += "everything that scores."
    found = [("", bank), ("die" if numbers.die else "", keep)]
    if numbers.few:
        cost = f"cost you {numbers.few:,} points or less"
        if numbers.most:
            cost += f" (nothing at all once your turn total is {numbers.most:,} or more)"
        found.append(
            (
                "few",
                f"Don't bank if that choice would leave {dice - 1} dice or more and {cost}. If it would leave "
                f"{dice - 2} dice, bank only if your turn total reaches the number for "
                f"{counted_dice(dice - 3)} as well.",
            )
        )
    daring = _daring(rules, numbers)
    found += daring if rules.finish == "at_once" else [*daring, *_closing(rules, numbers)]
    if numbers.single:
        cases = [f"rule {place} applies" for place, each in enumerate(found, 1) if each in daring]
        cases += ["somebody else has reached the target"] if rules.finish != "at_once" else []
        cases += ["you are not on the board yet"] if rules.entry or rules.entry_each else []
        if cases:
            when = listed(cases, "or")
            found.append(("single", f"If {when}, keep everything that scores when that leaves exactly one die."))
    if rules.finish != "at_once":
        found.append(
            ("", "Once somebody else has reached the target, roll until you are ahead of everybody, then bank.")
        )
    return tuple(found)


def _daring(rules: Rules, numbers: Numbers) -> list[tuple[str, str]]:
    """Return the sentences about opponents against whom more is risked than usual."""
    found = []
    if numbers.behind:
        more = {50: "add half to", 100: "double"}[numbers.behind]
        found.append(
            (
                "behind",
                "While your strongest opponent leads you by at least as many points as they still need to reach "
                f"{rules.target:,}, {more} the numbers in the table.",
            )
        )
    if rules.finish == "at_once" and numbers.end:
        score = f"{rules.target - numbers.end:,}"
        found.append(("end", f"Once an opponent has {score} or more, bank only if that wins the game."))
    if rules.finish == "at_once" and numbers.both:
        found.append(
            (
                "both",
                f"Once you and your strongest opponent together need no more than {numbers.both:,} points, bank only "
                "if that wins the game.",
            )
        )
    return found


def _closing(rules: Rules, numbers: Numbers) -> list[tuple[str, str]]:
    """Return the sentence about reaching the target if others have turns after that."""
    if not numbers.end:
        return []
    return [
        (
            "end",
            f"If banking would take you to {rules.target:,} or more, the table still counts, but bank only if you are "
            f"then {numbers.end:,} points or more ahead of everybody.",
        )
    ]
