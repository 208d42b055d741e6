"""The start: play now, or set up a game of rules, seats and a way to play; and the links that open a seat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Annotated, Any, NamedTuple, TypeVar

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import ValidationError
from starlette.datastructures import FormData

from farkel.errors import FarkelError, PlayerError, RulesError
from farkel.game import Phase
from farkel.players import PLAYERS
from farkel.records import naming
from farkel.rules import DEFAULT, Rules, families, named, names, parse, variations
from farkel.support.bounds import MOST_SEATS
from farkel.web.event_loop import off_loop
from farkel.web.game.access import GameName, ServiceDep, may_open
from farkel.web.game.held_tables import NoGame
from farkel.web.game.service import GameService
from farkel.web.game.setup import FAR, HERE, PAUSES, Allowed, GamePlan, SeatPlan
from farkel.web.game.table import Draft, Table, TableError
from farkel.web.http import validation
from farkel.web.http.cookies import keep_links, keep_tokens
from farkel.web.http.limits import Full
from farkel.web.http.requests import BoundedRoute
from farkel.web.pages.rendering import page, place, rendered
from farkel.web.tokens import Key

router = APIRouter(route_class=BoundedRoute)

FIRST = ("original", "standard", "extended", "build-on", "renaissance", "ten-thousand")
"""Rule sets that are shown first; the others are one tap away."""
BOTS = {"bot:cautious": "Cora", "bot:bold": "Rex", "bot:turn": "Paula", "bot:race": "Victor"}
"""Names of bots that were given none."""
ABOUT = {who: PLAYERS[who.removeprefix("bot:")] for who in BOTS}
"""How they play: ``banks early``."""
WHO = {HERE: "plays here", FAR: "far away, by a link", **{who: f"bot, {about}" for who, about in ABOUT.items()}}
OPPONENTS = {who: f"{BOTS[who]}, {about}" for who, about in ABOUT.items() if who != "bot:race"}
"""The bots for a game against one person. The first ones need not calculate anything before the game."""
PLAYER = "Player"
"""The name of a person who gave none."""
APART = "own"
"""The way to play in which all have devices of their own."""
WAYS = {
    "one": ("Friends here", "One device, handed round."),
    APART: ("Friends far away", "Each on their own device. One link invites everyone."),
    "real": ("Real dice", "You roll real dice, and this page keeps the score."),
}
ABSENT = {
    "wait": "everyone waits",
    "pass": "the player is skipped",
    **{who: f"a bot that {ABOUT[who]} sits in" for who in OPPONENTS},
}

T = TypeVar("T")
Form = FormData | Mapping[str, Any]
Asked = Annotated[str, Query(max_length=4_000)]
Token = Annotated[str, Path(pattern=validation.TOKEN)]


class Wrong(NamedTuple):
    """The fault in a form, and its field."""

    place: str
    """``rules``, ``seats``, ``options``, or ``seat`` with a number."""
    message: str


@router.get("/")
async def start(rules: Asked = "") -> Response:
    """Play at once, or choose another way."""
    played, wrong = named(DEFAULT), ""
    if rules:
        try:
            played = await off_loop(parse, rules)
        except RulesError as error:
            wrong = error.message
    return page(
        "start/start.html",
        wrong=[Wrong("rules", wrong)] if wrong else [],
        linked=bool(rules) and not wrong,
        chosen=str(played),
        title=brief_title(played),
        opponents=OPPONENTS,
        ways=offered(WAYS),
    )


@router.get("/new")
async def new(rules: Asked = "", way: Annotated[str, Query(max_length=10)] = "one") -> Response:
    """Choose seats, a way to play, and rules."""
    asked = {"rules": rules or DEFAULT, "name-0": "Player 1", "name-1": "Player 2"}
    asked["way"] = way if way in offered(WAYS) else "one"
    if place().alone:  # everybody sees who asks for one
        asked["hints"] = "on"
    wrong: list[Wrong] = []
    if rules:
        try:
            asked |= ticked(await off_loop(lambda: str(parse(rules))))
        except RulesError as error:
            wrong, asked["rules"] = [Wrong("rules", error.message)], DEFAULT
    return await _setup(asked, wrong, linked=bool(rules))


@router.post("/")
async def open_game(request: Request, service: ServiceDep) -> Response:
    """Open a game and go to it."""
    form = await request.form()
    plan, wrong = await off_loop(plan_of, form)
    if plan is not None and not wrong:
        try:
            may_open(request)
            word = str(form.get("word", "")).strip() if form.get("now") else None
            return await begin(request, service, plan, word=word)
        except PlayerError as error:
            wrong = [Wrong("seats", error.message)]
        except Full:
            raise
        except FarkelError as error:
            wrong = [Wrong("options", error.message)]
    asked = {name: str(value) for name, value in form.items()}
    return await _setup(asked, wrong, linked=True, status=422)


@router.get("/s/{token}")
async def seat(service: ServiceDep, token: Token) -> Response:
    """Return the page of a seat's own link. Previews of links open it too, so it takes nothing yet."""
    game, index = await service.seat_of(token)
    table = await service.table(game)
    others = [name for place, name in enumerate(table.names) if place != index]
    title = brief_title(table.plan.rules)
    return page("start/seat.html", token=token, whose=table.names[index], others=others, title=title)


@router.post("/s/{token}")
async def take_seat(request: Request, service: ServiceDep, token: Token) -> Response:
    """Take the seat of a link: this browser holds it from now on."""
    game, index = await service.seat_of(token)
    await service.came(game, index)
    return _goes_on(request, game, token)


@router.get("/h/{game}/{token}")
async def open_host(request: Request, service: ServiceDep, game: GameName, token: Token) -> Response:
    """Return the host's own link, to continue on another device."""
    if not (await service.key(game, token)).host:
        raise NoGame("no_such_link", "this link does not make you the host of this game; it may have been cut short")
    return _goes_on(request, game, token)


async def begin(
    request: Request, service: GameService, plan: GamePlan, group: str = "", *, word: str | None = None
) -> Response:
    """Open the game, and go to it. With a ``word`` it is played at once; the page is told that it is the first event.

    Raises what `GameService.open` raises.
    """
    opened = await service.open(plan, group)
    if word is None:
        await start_alone(service, opened.game, plan)
    else:
        await start_now(service, opened.game, plan, word)
    response = _goes_on(request, opened.game, opened.host, "#word" if word else "")
    if opened.seats:
        keep_links(request, response, opened.game, opened.seats)
    return response


async def start_alone(service: GameService, game: str, plan: GamePlan) -> None:
    """Start the game if no player and no word is still to come."""
    if plan.dice != "committed" and not plan.far:
        key = Key(host=True, seats=plan.here)
        await service.submit(game, lambda table: table.start(key, service.today()), request="nothing-to-wait-for")


async def start_now(service: GameService, game: str, plan: GamePlan, word: str) -> None:
    """Start the game of one person with bots, up to their first roll: there is no one to wait for.

    The throws for the start fall together. If a bot starts, the rest is for the bot to play.
    """
    key = Key(host=True, seats=plan.here)
    if plan.dice == "committed" and word:
        await service.submit(game, lambda table: table.word(key, min(plan.here), word), request="first-word")
    await service.submit(game, lambda table: table.start(key, service.today()), request="first-start")
    with suppress(TableError):
        while True:
            await service.submit(game, lambda table: _first_throw(table, key))


def _first_throw(table: Table, key: Key) -> Draft:
    """Return the next throw for the start, or the first roll of the game if the key's seat has it."""
    state = table.state
    begins = all(move.before.phase is Phase.START for move in table.playing.moves)
    if state.phase is not Phase.START and not (begins and state.seat in key.seats):
        raise TableError("nothing_due", "the first roll is made")
    return table.serve(None)


def offered(choices: Mapping[str, T]) -> dict[str, T]:
    """Return the ways to play, or the players, that are there: nobody is far away from pages that are alone."""
    return {name: choice for name, choice in choices.items() if not (place().alone and name in (APART, FAR))}


def brief_title(rules: Rules) -> str:
    """Return rules in a few words: ``Extended Farkle to 10,000``."""
    return f"{rules.called} to {rules.target:,}" if rules.target else rules.called


def plan_of(form: Form) -> tuple[GamePlan | None, list[Wrong]]:
    """Return the plan that a form of the start page describes, or its faults."""
    wrong: list[Wrong] = []
    dice = "manual" if _said(form, "way") == "real" else _said(form, "dice") or "committed"
    plan: dict[str, Any] = {"dice": dice, "seats": []}
    with _noting(wrong, "rules"):
        plan["rules"] = parse(with_variations(_said(form, "rules") or DEFAULT, form))
    for index, asked in _seats(form):
        with _noting(wrong, f"seat{index}", "the seat"):
            plan["seats"].append(SeatPlan.model_validate(asked))
    if not plan["seats"] and not wrong:
        wrong.append(Wrong("seats", "there are no players; name at least one"))
    with _noting(wrong, "options"):
        plan["allowed"] = allowed_of(form)
    if not wrong:
        with _noting(wrong, "options"):
            return GamePlan.model_validate(plan), []
    return None, wrong


def _said(form: Form, name: str) -> str:
    return str(form.get(name, "")).strip()


@contextmanager
def _noting(wrong: list[Wrong], place: str, whole: str = "the form") -> Iterator[None]:
    """Note what is wrong with a part of a form."""
    try:
        yield
    except RulesError as error:
        wrong.append(Wrong(place, error.message))
    except ValidationError as error:
        wrong.append(Wrong(place, validation.said(error.errors(), whole)))


def _seats(form: Form) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the seats that a form names. If all have devices of their own, people after the first are far away."""
    apart, people = _said(form, "way") == APART, 0
    for index in range(MOST_SEATS):
        who = _said(form, f"who-{index}") or HERE
        unnamed = BOTS.get(who, "") or (PLAYER if _said(form, "now") and not index else "")
        if name := _said(form, f"name-{index}") or unnamed:
            far = apart and who == HERE and people
            members = tuple(map(naming.unquoted, naming.parts(_said(form, f"people-{index}"), ",")))
            yield index, {"name": name, "people": members, "who": FAR if far else who}
            people += not who.startswith("bot:")


def with_variations(rules: str, form: Form) -> str:
    """Return a notation with the variations that are ticked for it; rules without a name have none."""
    marked = [each.name for each in variations(rules) if f"{rules}:{each.name}" in form]
    return f"{rules}:{','.join(marked)}" if marked else rules


def ticked(notation: str) -> dict[str, str]:
    """Return the rules of a form: a set and its variations, or a notation of their own."""
    name, _, marked = notation.partition(":")
    if name not in names() or "(" in notation:
        return {"rules": notation}
    return {"rules": name} | {f"{name}:{each}": "on" for each in filter(None, marked.split(","))}


def allowed_of(form: Form) -> Allowed:
    """Return the host's permissions, from a form. Raises `ValidationError`."""
    return Allowed.model_validate(
        {
            "hints": "hints" in form,
            "chances": "chances" in form,
            "patience": str(form.get("patience", "") or Allowed().patience),
            "absent": form.get("absent", "wait"),
            "speed": form.get("speed", "steady"),
        }
    )


def _goes_on(request: Request, game: str, token: str, part: str = "") -> Response:
    response = RedirectResponse(f"/g/{game}{part}", 303)
    keep_tokens(request, response, game, token)
    return response


def rules_to_choose(asked: Mapping[str, str]) -> dict[str, Any]:
    """Return the choices in the list of rules, given a form."""
    catalogue = [(name, named(name)) for name in (*FIRST, *(name for name in names() if name not in FIRST))]
    others = {family: [name for name in sets if name not in FIRST] for family, sets in families().items()}
    return {
        "asked": asked,
        "chosen": asked.get("rules") or DEFAULT,
        "catalogue": catalogue,
        "first": len(FIRST),
        "families": [(family, [(name, named(name)) for name in sets]) for family, sets in others.items() if sets],
        "variations": variations,
    }


async def _setup(asked: Mapping[str, str], wrong: list[Wrong], *, linked: bool, status: int = 200) -> Response:
    choices = {"ways": offered(WAYS), "who": offered(WHO), "absent": ABSENT, "speeds": [*PAUSES], "seats": MOST_SEATS}
    return await rendered("start/setup.html", status, wrong=wrong, linked=linked, **choices, **rules_to_choose(asked))
