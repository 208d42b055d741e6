"""What pages may ask the coach: odds, exact values, hints, winning chances, reviews, statistics of the dice."""

from __future__ import annotations

from collections import OrderedDict
from fractions import Fraction
from typing import Any

from farkel.errors import FarkelError
from farkel.play import hints
from farkel.rules import Rules
from farkel.web.coaching import calculations
from farkel.web.game.service import GameService
from farkel.web.game.table import Table, TableError
from farkel.web.tokens import Key

TOO_LONG = (
    "winning chances under these rules take many minutes to calculate, so they can't be shown here; "
    "hints and bots go by expected points"
)
"""What pages say where the terminal names a command."""
MOST_ODDS, MOST_REVIEWS, MOST_CARDS = 256, 64, 64
_farkles: OrderedDict[str, dict[int, Fraction]] = OrderedDict()
"""By the digest of the rules."""
_reviews: OrderedDict[tuple[str, int], dict[str, Any]] = OrderedDict()
"""By the game and the number of its last event."""
_cards: OrderedDict[str, dict[str, Any]] = OrderedDict()
"""By the digest of the rules."""


def on_a_page(error: FarkelError) -> str:
    """Return why there is no answer, for people who have nothing but a page."""
    return TOO_LONG if error.code == "too_long" else error.message


async def odds(service: GameService, rules: Rules) -> dict[int, dict[str, Any]]:
    """Return the chance of a farkle and of hot dice, and the mean of the most points, by the number of dice."""
    return await service.calculator.ask(("odds", rules.digest), calculations.odds, rules)


async def farkles(service: GameService, rules: Rules) -> dict[int, Fraction]:
    """Return the chance of a farkle by the number of dice."""
    if rules.digest not in _farkles:
        _farkles[rules.digest] = await service.calculator.ask(("farkles", rules.digest), calculations.farkles, rules)
        while len(_farkles) > MOST_ODDS:
            _farkles.popitem(last=False)
    return _farkles[rules.digest]


async def value(service: GameService, rules: Rules) -> dict[str, Any]:
    """Return the exact value of a game of two. Raises `SolveError` ``too_long`` if it takes more than seconds."""
    return await service.calculator.ask(("value", str(rules)), calculations.value, rules)


def known_card(rules: Rules) -> dict[str, Any] | None:
    """Return the card to play by if it was asked for before."""
    return _cards.get(rules.digest)


async def card(service: GameService, rules: Rules) -> dict[str, Any]:
    """Return the card to play by, which takes a minute or two.

    Raises `SolveError` if there is none; ``too_long`` if it takes longer.
    """
    if rules.digest not in _cards:
        _cards[rules.digest] = await service.calculator.ask(("card", rules.digest), calculations.card, rules)
        while len(_cards) > MOST_CARDS:
            _cards.popitem(last=False)
    return _cards[rules.digest]


async def thresholds(service: GameService, rules: Rules) -> dict[str, Any]:
    """Return the turn totals to bank for the most points. Raises `SolveError` if there are none."""
    return await service.calculator.ask(("thresholds", rules.digest), calculations.thresholds, rules)


async def hint(service: GameService, table: Table, key: Key) -> dict[str, Any]:
    """Return the best action for the seat on turn, and why."""
    state = table.playing.state
    if not table.allowed.hints and not state.over:
        raise TableError("no_hints", "the host of this game does not allow hints")
    if not hints.decision_due(state):
        raise TableError("no_decision", hints.no_decision(state))
    if state.seat not in key.seats and not key.host:
        raise TableError("not_yours", "only the player who decides now can get a hint")
    return await service.calculator.ask(("hint", table.game, table.number), calculations.hint, state)


async def chances(service: GameService, table: Table) -> dict[str, Any]:
    """Return the chance of each seat to win, if the host allows it and it takes no more than seconds."""
    state = table.playing.state
    if not table.allowed.chances and not state.over:
        raise TableError("no_chances", "the host of this game does not show winning chances")
    number = table.number
    found = await service.calculator.ask(("chances", table.game, number), calculations.chances, state)
    return {"number": number, "chances": found}


async def review(service: GameService, table: Table) -> dict[str, Any]:
    """Return the game move by move in winning chance. Raises `TableError` before its end, or `SolveError`.

    An unfinished record that was opened is looked over as far as it goes.
    """
    if not table.playing.state.over and not table.opened:
        raise TableError("not_over", "a game can be reviewed when it is over")
    kept = (table.game, table.number)
    if kept not in _reviews:
        text = table.text(await service.rows(table.game, 0))
        _reviews[kept] = await service.calculator.ask(("review", *kept), calculations.review, text)
        while len(_reviews) > MOST_REVIEWS:
            _reviews.popitem(last=False)
    return _reviews[kept]


async def statistics(service: GameService, table: Table) -> dict[str, Any]:
    """Return counts of the faces, and farkles of each seat, beside the expected ones.

    Raises `TableError` ``no_throws`` if there are no rolls.
    """
    about = ("statistics", table.game, table.number)
    text = table.text(await service.rows(table.game, 0))
    return await service.calculator.ask(about, calculations.statistics, text)
