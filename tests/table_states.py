"""Tables in the states that players meet, brought up from written events: names and scores are long ones."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from browser_helpers import LONG, Visitor, serving
from databases import sqlite_at
from farkel.dice import parse_roll
from farkel.game import Event, Fresh, Keep, Note, Phase, TakeOver, Throw, apply
from farkel.game import State as Game
from farkel.game.events import Then
from farkel.game.scoring import score_table
from farkel.records import event_text
from farkel.web.game.setup import FAR, HERE, Allowed, GamePlan, SeatPlan
from farkel.web.game.table import Draft, Table, stored
from farkel.web.store.database import connect, disconnect
from farkel.web.store.games import GameStore
from farkel.web.store.values import Append, NewGame, Row, Seen
from farkel.web.tokens import hashed, name_of
from named_rules import rules_from
from web_helpers import EVERYTHING, STARTED

NAMES = (
    *("Maximilian", "Benedikt", "Annabella", "Theodora"),
    *("Friederike", "Konstantin", "Wilhelmina", "Sebastian"),
)
NOW = 1_800_000_000_000
"""The time of the server, which stands still: whoever was there is there."""
STILL = """
const play = Element.prototype.animate;
Element.prototype.animate = function (...given) {
  const one = play.apply(this, given);
  one.pause();
  return one;
};
const later = globalThis.setTimeout;
globalThis.setTimeout = (what, wait = 0, ...given) => wait < 1_500 ? later(what, wait, ...given) : 0;
"""
"""What is shown for a while stays."""
OFTEN = "standard(target=20000,start=first_seat)"
ORIGINAL = "original(start=first_seat)"
BUILD = "build-on(target=20000,start=first_seat)"


def rolls(faces: str) -> Throw:
    return Throw(parse_roll(faces))


def keeps(faces: str, then: Then = "roll") -> Keep:
    return Keep(parse_roll(faces), then)


def played(state: Game, points: int, manual: bool) -> Iterator[Event]:
    """Yield the events of a whole turn that banks so many points, or is a farkle for 0."""
    if manual:
        yield Note(points, 0 if points else state.rules.dice, farkle=not points)
        return
    all_rolls = score_table(state.rules).rolls(state.rules.dice)
    if not points:
        yield Throw(next(one.roll for one in all_rolls if one.farkle))
    while points:
        ways = [(one.roll, kept) for one in all_rolls for kept in one.keeps.values() if kept.points == points]
        then: Then = "bank" if ways else "roll"
        hot = [
            (one.roll, kept) for one in all_rolls for kept in one.keeps.values() if kept.hot and kept.points < points
        ]
        roll, kept = min(ways, key=lambda way: way[1].left) if ways else max(hot, key=lambda way: way[1].points)
        yield Throw(roll)
        yield Keep(kept.dice, then)
        points -= kept.points


# What is done on the page to bring it into the state -----------------------------------------------------------------


def nothing(page: Any) -> None: ...


def chosen(*faces: int) -> Callable[[Any], None]:
    def choose(page: Any) -> None:
        for face in faces:
            page.locator(f"fieldset.roll input[value='{face}']:not(:checked)").first.check()

    return choose


def hint(page: Any) -> None:
    """The longest that a hint says; to work out one takes seconds."""
    said = (
        '<button type="button" class="round close" data-close aria-label="Close the hint">×</button>'
        '<p data-dice="1 1"><b>Keep 1 1 and roll 4 dice.</b> Rolling on wins 62 of 100 games; banking 12,350 wins 58 of'
        ' 100.</p><details><summary>All choices</summary><pre class="code scroll" tabindex="0">keep 1 1</pre></details>'
    )
    page.route("**/hint", lambda route: route.fulfill(body=said, content_type="text/html"))
    page.locator("[data-key=h]").click()
    page.locator(".hint [data-dice]").wait_for()


def reactions(page: Any) -> None:
    for seat, what in ((1, "luck"), (2, "hurry")):
        page.evaluate(
            "(said) => document.querySelector('#stream')"
            ".dispatchEvent(new CustomEvent('passing', { detail: { data: JSON.stringify(said) } }))",
            {"kind": "reaction", "what": what, "seat": seat},
        )


def offline(page: Any) -> None:
    page.evaluate("dispatchEvent(new Event('offline'))")
    page.locator("#offline:not([hidden])").wait_for()


def refused(page: Any) -> None:
    """A press on a button that does nothing says why."""
    page.locator("#bar [aria-disabled=true]").first.dispatch_event("click")


def entered(points: str) -> Callable[[Any], None]:
    def enter(page: Any) -> None:
        page.locator("#do-note input[name=points]").fill(points)

    return enter


def doubted(page: Any) -> None:
    """An entry that no turn makes."""
    entered("12,345")(page)
    page.locator("#bank").click()
    page.locator("#board > .wrong").wait_for()


def wholly(page: Any) -> None:
    page.locator("#story").evaluate("(one) => one.remove()")  # which takes long to work out


# The states ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class State:
    """A table, and what is done there."""

    name: str
    rules: str
    seats: int
    events: tuple[Event | int, ...]
    """A number is a whole turn of so many points."""
    then: Callable[[Any], None] = nothing
    own: int | None = None
    """The seat whose page it is, if each has a device of their own; None: the host's, who plays all seats."""
    dice: str = "system"
    away: bool = False
    """Whether the others are away."""
    quick: bool = False
    """Whether it is looked at each time."""

    @property
    def game(self) -> str:
        return name_of(hashlib.sha256(self.name.encode()).digest())

    @property
    def plan(self) -> GamePlan:
        who = HERE if self.own is None else FAR
        seats = tuple(SeatPlan(name=name, who=who) for name in NAMES[: self.seats])
        allowed = Allowed(hints=True, absent="pass" if self.away else "wait")
        return GamePlan.model_validate(
            {"rules": rules_from(self.rules), "seats": seats, "dice": self.dice, "allowed": allowed}
        )

    def token(self, seat: int | None) -> str:
        return hashlib.sha256(f"{self.name} {seat}".encode()).hexdigest()[:32]

    @property
    def tokens(self) -> tuple[tuple[int, str], ...]:
        far = range(self.seats) if self.own is not None else ()
        return tuple((seat, hashed(self.token(seat))) for seat in far)

    @property
    def rows(self) -> tuple[Row, ...]:
        """The events as they are stored."""
        table = Table(self.game, self.plan, bytes(32))
        rows = stored(table.start(EVERYTHING, STARTED), 0, NOW, None)
        table.take(rows)
        state, texts = table.state, []
        for given in self.events:
            for event in played(state, given, table.manual) if isinstance(given, int) else (given,):
                fresh = (Fresh(),) if state.phase is Phase.OFFER and isinstance(event, Throw) else ()
                for one in (*fresh, event):
                    before, state = state, apply(state, one)
                    texts.append(("move", event_text(one, before, state, table.names)))
        return rows + stored(Draft(tuple(texts)), len(rows), NOW, None)

    @property
    def over(self) -> bool:
        table = Table(self.game, self.plan, bytes(32))
        table.take(self.rows)
        return table.over

    def cookie(self, address: str) -> dict[str, str]:
        token = self.token(self.own)
        return {"name": f"seat-{hashed(token)[:8]}", "value": token, "url": f"{address}/g/{self.game}"}


LONG_SCORES = (12_350, 11_900, 13_050, 10_800)
STATES = (
    State("who starts", "standard", 4, (rolls("3"), rolls("5"), rolls("2"))),
    State("the first roll", OFTEN, 2, (), own=0),
    State("a roll is due", OFTEN, 4, (*LONG_SCORES, rolls("113446"), keeps("11"))),
    State("nothing chosen", OFTEN, 4, (*LONG_SCORES, rolls("113446")), own=0, quick=True),
    State(
        "chosen",
        OFTEN,
        2,
        (12_350, 11_900, rolls("111555"), keeps("111"), rolls("555"), keeps("555"), rolls("112345")),
        chosen(1, 1, 5),
    ),
    State("not these dice", OFTEN, 4, (*LONG_SCORES, rolls("113446")), chosen(4), own=0),
    State(
        "too little for the first bank",
        "standard(entry=1850,start=first_seat)",
        2,
        (0, 0, rolls("113446")),
        chosen(1),
    ),
    State("hot dice", OFTEN, 2, (12_350, 11_900, rolls("111456"), keeps("111"), rolls("155")), chosen(1, 5, 5)),
    State("another's farkle", OFTEN, 4, (*LONG_SCORES, rolls("111446"), keeps("111"), rolls("234")), own=2),
    State("one's own farkle", OFTEN, 2, (12_350, 11_900, rolls("111446"), keeps("111"), rolls("234"))),
    State("another decides", OFTEN, 4, (*LONG_SCORES, rolls("113446")), own=1),
    State("another is away", OFTEN, 3, (*LONG_SCORES[:3], rolls("113446")), own=1, away=True),
    State("reactions", OFTEN, 4, (*LONG_SCORES, rolls("113446")), reactions, own=0),
    State("a hint", OFTEN, 2, (12_350, 11_900, rolls("113446")), hint),
    State("no connection", OFTEN, 2, (12_350, 11_900, rolls("113446")), offline),
    State("why not", OFTEN, 2, (12_350, 11_900), refused),
    State(
        "an offer",
        BUILD,
        2,
        (12_350, 11_900, rolls("113446"), keeps("11"), rolls("2345"), keeps("5", "bank")),
        quick=True,
    ),
    State(
        "lives to buy with",
        ORIGINAL,
        3,
        (35_000, 42_500, 28_000, rolls("222346"), keeps("222"), rolls("155"), keeps("1", "bank")),
    ),
    State(
        "lives paid",
        ORIGINAL,
        2,
        (
            35_000,
            42_500,
            *(rolls("222346"), keeps("222"), rolls("155"), keeps("1", "bank"), TakeOver(2), rolls("15")),
        ),
    ),
    State("the last turn", "standard(start=first_seat)", 3, (9_950, 9_900, 10_350, rolls("113446")), chosen(1, 1)),
    State("eight seats", OFTEN, 8, (*LONG_SCORES, *LONG_SCORES, rolls("113446")), own=6, quick=True),
    State("ten dice", "standard(dice=10,target=20000,start=first_seat)", 3, (*LONG_SCORES[:3], rolls("1134462235"))),
    State("real dice", OFTEN, 4, tuple(range(500, 3_700, 100)), entered("1,050"), dice="manual", quick=True),
    State(
        "real dice and an offer",
        BUILD,
        4,
        (*range(500, 3_600, 100), Note(2_000, 2)),
        entered("12,350"),
        dice="manual",
    ),
    State("real dice for lives", ORIGINAL, 2, (35_000, 42_500), entered("13,500"), dice="manual"),
    State("an entry in doubt", OFTEN, 2, (500, 600, 0, 700), doubted, dice="manual", quick=True),
    State("real dice, roll by roll", BUILD, 2, (500, 600, rolls("113446")), dice="manual"),
    State("the end", "standard(start=first_seat)", 3, (4_950, 9_900, 12_350, 0, 0), wholly),
)


async def _store(address: str) -> None:
    engine = connect(address)
    store = GameStore(engine, "states")
    for state in STATES:
        plan = state.plan.model_dump_json()
        host = hashed(state.token(None))
        await store.write(NewGame(state.game, NOW, plan, bytes(32), host, state.tokens))
        await store.write(Append(state.game, state.rows, None, state.over))
        there = [seat for seat, _ in state.tokens if not state.away or seat == state.own]
        await store.write(Seen(state.game, tuple(there), NOW))
    await store.close()
    disconnect(engine)


@contextmanager
def tables(folder: Path) -> Iterator[str]:
    """A server with all of them, and its address."""
    with ThreadPoolExecutor() as apart:  # Playwright keeps an event loop running in this thread
        apart.submit(asyncio.run, _store(sqlite_at(folder / "games.db"))).result()
    with serving(folder, lambda: NOW) as address:
        yield address


def bring_up(browser: Any, address: str, state: State, size: dict[str, int], **options: Any) -> Visitor:
    """Open the table, and do there what is to be done."""
    visitor = Visitor(browser, address, size, **options)
    visitor.context.add_cookies([state.cookie(address)])
    visitor.page.add_init_script(STILL)
    visitor.page.add_init_script("localStorage.setItem('farkel-tips', JSON.stringify(['choose', 'decide', 'scores']))")
    visitor.page.goto(f"{address}/g/{state.game}", timeout=LONG)
    visitor.ready("over" if state.over else "playing")
    visitor.page.wait_for_load_state()
    state.then(visitor.page)
    return visitor


def named(*names: str) -> Sequence[State]:
    """The states with these names; all of them if none is named."""
    return [state for state in STATES if not names or state.name in names]
