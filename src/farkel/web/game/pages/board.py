"""The pages of one game: the lobby, the table, the score sheet, and the pages after the game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Form, Query, Request, Response
from fastapi.responses import PlainTextResponse, RedirectResponse

from farkel.dice import parse_roll
from farkel.errors import DiceError
from farkel.game import IllegalEvent, State
from farkel.game.refusals import BRIEF
from farkel.rules import Rules, farkle_word
from farkel.rules import sheet as rule_sheet
from farkel.rules.sheets.first_minute import in_a_minute
from farkel.support.bounds import MOST_SEATS
from farkel.support.words import capital
from farkel.web.game import api, own_moves
from farkel.web.game.access import GameName, KeyDep, ServiceDep
from farkel.web.game.api import Reaction, next_game
from farkel.web.game.dice_tray import tray_of
from farkel.web.game.pages.forms import KEPT, Unclear, move_of, request_of, seen_of
from farkel.web.game.pages.start import ABSENT, OPPONENTS, start_alone
from farkel.web.game.service import GameService, Stale
from farkel.web.game.setup import FAR, HERE, PAUSES
from farkel.web.game.submissions import Doubtful, drafted
from farkel.web.game.table import Presence, Table, TableError
from farkel.web.game.views import KeepView, SeatView, TableView, TurnView, table_view, why_not_kept
from farkel.web.http.addresses import base_url, only_here
from farkel.web.http.cookies import forget_tokens, keep_links, keep_tokens, kept_links, tokens_of
from farkel.web.http.event_streams import EventStream
from farkel.web.http.requests import BoundedRoute
from farkel.web.pages.chances import chance, risk, rolls
from farkel.web.pages.rendering import partial, place, rendered
from farkel.web.tokens import Key, hashed

router = APIRouter(prefix="/g/{game}", route_class=BoundedRoute)
# Requests of a page's script with the cookies of the seat, which are sent to addresses of the game's pages only.
router.add_api_route("/stream", api.stream, response_class=EventStream)
router.add_api_route("/moves", api.submit, methods=["POST"])
router.add_api_route("/choosing", api.choosing, methods=["POST"], status_code=204)

Since = Annotated[int, Query(ge=0, description="The answer is at least as new as this event")]

STEPS = (1, 2, 10, 20)
"""The amounts of the score sheet's keys, in the smallest score of the rules."""
REACTIONS = {
    "clap": "Well done!",
    "laugh": "Ha ha!",
    "wow": "Wow!",
    "ouch": "Ouch!",
    "luck": "Good luck!",
    "hurry": "Your turn!",
}


THINKING = 0.8
"""Seconds after its usual pause from which on a bot is shown to be thinking."""


class Refusal(NamedTuple):
    """A move that was refused, and the form to send again."""

    message: str
    again: Mapping[str, str] = {}
    """The fields of an entry that is taken once it is confirmed."""
    typed: str = ""
    """The name that was typed."""


class Ranked(NamedTuple):
    """A seat's place once the game is over."""

    place: int
    """From 1; seats with the same score share it."""
    seat: int
    score: int


class SeatLink(NamedTuple):
    """A link to be handed out."""

    label: str
    url: str


@router.get("")
async def show(
    request: Request, service: ServiceDep, game: GameName, key: KeyDep, since: Since = 0, host: bool = False
) -> Response:
    """Return the page of the game; ``host``: with the host's part unfolded."""
    shown = await at_table(request, service, game, key, since)
    if shown["opened"] and not shown["view"].over:  # nothing will happen there
        return RedirectResponse(f"/g/{game}/watch", 303)
    response = await rendered("game/table.html", **shown | {"unfolded": host})
    kept = tokens_of(request)
    forget_tokens(response, game, [token for token in kept if (await service.key(game, token)).watches])
    return response


@router.get("/board")
async def board(
    request: Request, service: ServiceDep, game: GameName, key: KeyDep, since: Since = 0, there: bool = False
) -> Response:
    """Return what changes on the page; ``there``: one that has no stream, which would say that it is open."""
    if there:
        await service.asked(game, key.seats)
    return await rendered("game/board.html", **await at_table(request, service, game, key, since))


@router.get("/screen")
async def screen(request: Request, service: ServiceDep, game: GameName, key: KeyDep) -> Response:
    """Return the sheet for the whole room, on a big screen; it takes no moves.

    From the host's browser it invites to free seats.
    """
    return await rendered("game/screen.html", **await at_table(request, service, game, Key(host=key.host)))


@router.get("/screen/board")
async def screen_board(
    request: Request, service: ServiceDep, game: GameName, key: KeyDep, since: Since = 0
) -> Response:
    """Return the changing part of the big screen, which moves to the next game by itself: it has no one to tap it."""
    shown = await at_table(request, service, game, Key(host=key.host), since)
    response = await rendered("game/screen_board.html", **shown)
    if following := shown["view"].again:
        response.headers["HX-Redirect"] = f"{place().root}g/{following}/screen"
    return response


@router.post("/move")
async def move(request: Request, service: ServiceDep, game: GameName, key: KeyDep) -> Response:
    """Take a form's move. A refusal is shown beside the board as it is now."""
    form = await request.form()
    try:
        wanted = move_of(form)
        await service.give_back(game, key.seats)
        done = await service.submit(
            game, drafted(key, wanted, service.today), seen=seen_of(form), request=request_of(form)
        )
    except (TableError, IllegalEvent, DiceError, Unclear, Stale) as error:
        asked = isinstance(error, Doubtful) or error.code == "would_drop"
        again = {name: str(form[name]) for name in KEPT if name in form} if asked else {}
        message = error.reason if isinstance(error, IllegalEvent) else error.message
        shown = await at_table(request, service, game, key, refusal=Refusal(message, again))
        name = "game/board.html" if partial(request) else "game/table.html"
        return await rendered(name, 409 if isinstance(error, Stale) else 422, **shown)
    return await _moved(request, service, game, key, done.number)


@router.post("/link")
async def link(
    request: Request, service: ServiceDep, game: GameName, key: KeyDep, seat: Annotated[int, Form(ge=0, lt=MOST_SEATS)]
) -> Response:
    """Return a new link for a seat, which the host's browser keeps to show it."""
    token = await service.renew(game, key, seat)
    response = RedirectResponse(f"/g/{game}/links?seat={seat}", 303)
    keep_links(request, response, game, {**kept_links(request), seat: token})
    return response


@router.get("/links")
async def links(
    request: Request, service: ServiceDep, game: GameName, key: KeyDep, seat: Annotated[int, Query(ge=0)] = 0
) -> Response:
    """Return the link of a seat, which was made for the host to pass on, and the others that were."""
    table = await service.table(game)
    handed_out = _handed_out(request, table) if key.host else {}
    if seat not in handed_out:
        return RedirectResponse(f"/g/{game}", 303)
    others = [link for index, link in handed_out.items() if index != seat]
    context: dict[str, Any] = {
        "made": handed_out[seat],
        "others": others,
        "only_here": only_here(request),
        "game": game,
    }
    return await rendered("game/links.html", **context)


@router.post("/react", status_code=204)
async def react(
    service: ServiceDep,
    game: GameName,
    key: KeyDep,
    what: Annotated[str, Form()],
    seat: Annotated[int, Form(ge=0, lt=MOST_SEATS)],
) -> Response:
    """Say something with one tap."""
    if what not in REACTIONS:
        raise Unclear("no_reaction", f'there is no reaction "{what[:20]}"; there are {", ".join(REACTIONS)}')
    return await api.react(service, game, key, Reaction.model_validate({"what": what, "seat": seat}))


@router.get("/why")
async def why(service: ServiceDep, game: GameName, dice: Annotated[str, Query(max_length=12)] = "") -> Response:
    """Return why these dice cannot be kept, in a sentence; "" if they can."""
    return PlainTextResponse(why_not_kept((await service.table(game)).state, parse_roll(dice)))


@router.get("/correct/{turn}")
async def correct(request: Request, service: ServiceDep, game: GameName, key: KeyDep, turn: int) -> Response:
    """Return the form that corrects a turn of the sheet."""
    shown = await at_table(request, service, game, key)
    found = [one for one in shown["view"].sheet if one.number == turn]
    if not found:
        raise TableError("no_such_turn", "this turn is no longer on the score sheet")
    return await rendered("game/correct.html" if partial(request) else "game/correct_page.html", turn=found[0], **shown)


@router.post("/again")
async def again(request: Request, service: ServiceDep, game: GameName, key: KeyDep) -> Response:
    """Lead to the next game of these seats: the host opens it, and owners of seats here keep them there."""
    own, handed_out = tokens_of(request), kept_links(request)
    found = await next_game(request, service, game, [*own, *handed_out.values()])
    if key.host:
        await start_alone(service, found.game, (await service.table(found.game)).plan)
    response = RedirectResponse(f"/g/{found.game}#again", 303)
    if mine := [found.tokens[token] for token in own if token in found.tokens]:
        keep_tokens(request, response, found.game, *mine)
    if links := {seat: found.tokens[token] for seat, token in handed_out.items() if token in found.tokens}:
        keep_links(request, response, found.game, links)
    return response


async def _moved(request: Request, service: GameService, game: str, key: Key, number: int) -> Response:
    """Return the board after something was done, or the page if no script asks."""
    if partial(request):
        return await rendered("game/board.html", **await at_table(request, service, game, key, number))
    return RedirectResponse(f"/g/{game}?since={number}", 303)


async def at_table(
    request: Request, service: GameService, game: str, key: Key, since: int = 0, refusal: Refusal | None = None
) -> dict[str, Any]:
    """Return everything that the templates of a game show."""
    table, presence = await service.table(game, since), await service.presence(game)
    return drawn(request, service, table, key, presence, refusal)


def drawn(
    request: Request,
    service: GameService,
    table: Table,
    key: Key,
    presence: Presence = Presence(),  # noqa: B008 (an immutable value)
    refusal: Refusal | None = None,
) -> dict[str, Any]:
    """Return everything that the templates show of a table."""
    view = table_view(table, key, presence)
    return {
        "view": view,
        "game": table.game,
        "rules": table.plan.rules,
        "farkle": farkle_word(table.plan.rules.name),
        "rule_sheet": rule_sheet,
        "in_a_minute": in_a_minute,
        "key": key,
        "most_seats": MOST_SEATS,
        "opponents": OPPONENTS,
        "brief": BRIEF,
        "reactions": REACTIONS,
        "absent": ABSENT,
        "speeds": [*PAUSES],
        "thinks": int(1_000 * (own_moves.pause(service.settings, table) + THINKING)) if table.goes_on else 0,
        "refusal": refusal,
        "unfolded": False,
        "watched": None,
        "opened": table.opened,
        "revealed": table.so_far.secret is not None,
        "request_name": service.chance.unique(8, table.game, "request").hex(),
        **_seats(table, view, presence),
        **_turn(table, view),
        **_score_sheet(view, table.plan.rules),
        **_links(request, table, view),
    }


def _seats(table: Table, view: TableView, presence: Presence) -> dict[str, Any]:
    """Return who plays where, as the view's owner sees it."""
    here = [seat.name for seat in view.seats if seat.who == HERE]
    return {
        "mine": [index for index, seat in enumerate(view.seats) if seat.yours],
        "far": [index for index, seat in enumerate(view.seats) if seat.who == FAR],
        "seen_by": [seat for seat in view.seats if not seat.yours and seat.who in (HERE, FAR) and not seat.away],
        "loose": table.loose(presence.free),
        "ready": all(_is_ready(seat, view) for seat in view.seats),
        "left": presence.left,
        "opener": here[0] if len(here) == 1 else "The host",
        "after": after_turn(view),
    }


def _is_ready(seat: SeatView, view: TableView) -> bool:
    """Return whether nothing is still to come from a seat before the game starts."""
    return seat.who != FAR or not (seat.away or (view.dice == "committed" and not seat.word))


def _turn(table: Table, view: TableView) -> dict[str, Any]:
    """Return the turn that is being played: its dice, and what the view's owner may do."""
    record = table.so_far
    return {
        "tray": tray_of(record, view) if view.started and not view.over else None,
        "rolled": record.throws + record.fallen,
        "decides": view.yours and not view.seats[view.seat].who.startswith("bot:"),
        "throws": view.yours and table.manual and view.dice_due > 0,
        "keeps": [keep.model_dump(mode="json") | _risks(table.state, keep) for keep in view.keeps],
    }


def _risks(state: State, keep: KeepView) -> dict[str, Any]:
    """Return what the next roll risks with a keep, in words: for a button, and as a sentence."""
    if keep.tries:
        fails = rolls(keep.farkle, keep.next_dice, "fail")
        said = ["The next roll must complete: ", {"strong": keep.tries}, ". ", *fails.words]
    else:
        said = risk(keep.farkle, keep.next_dice, keep.total, stays=state.keeps_total(keep.total)).words
    return {"small": f"{chance(keep.farkle)} {farkle_word(state.rules.name)}", "risk": said}


def _score_sheet(view: TableView, rules: Rules) -> dict[str, Any]:
    """Return the turns that were played, and what it takes to enter another one."""
    rows = sheet_rows(view)
    return {
        "rows": rows,
        "ranking": ranked(view) if view.over else [],
        "asks_dice": rules.take_over.allowed,
        "steps": [rules.unit * times for times in STEPS],
        "offline": None if place().alone else sheet_kept(view, rules, rows),
    }


def _links(request: Request, table: Table, view: TableView) -> dict[str, Any]:
    """Return the links that this browser may show."""
    base = base_url(request)
    return {
        "base": base,
        "links": _handed_out(request, table) if view.host else {},
        "invitation": SeatLink("invitation", f"{base}/j/{view.code}"),
        "own": _own_links(request, table),
        "watch": SeatLink("watch", f"{base}/g/{table.game}"),
        "only_here": only_here(request),
    }


def ranked(view: TableView) -> list[Ranked]:
    """Return the seats as the game left them: winners first, then by score, and last those who are out or left."""

    def merit(index: int) -> tuple[bool, bool, int]:
        seat = view.seats[index]
        return index in view.winners, seat.status == "in", seat.score

    order = sorted(range(len(view.seats)), key=merit, reverse=True)
    places = [next(place for place, other in enumerate(order, 1) if merit(other) == merit(index)) for index in order]
    return [Ranked(place, index, view.seats[index].score) for place, index in zip(places, order, strict=True)]


def after_turn(view: TableView) -> list[str]:
    """Return who comes after the seat on turn, as the view's owner reads it: up to oneself, and three at most."""
    count = len(view.seats)
    found: list[str] = []
    for step in range(1, count):
        seat = view.seats[(view.seat + step) % count]
        if seat.status != "in":
            continue
        found.append("you" if seat.yours else seat.name)
        if seat.yours or len(found) == 3:
            break
    return found


def _handed_out(request: Request, table: Table) -> dict[int, SeatLink]:
    """Return the links of seats that this browser was given to hand out, and that no other browser has got since."""
    return {
        seat: SeatLink(table.names[seat], f"{base_url(request)}/s/{token}")
        for seat, token in kept_links(request).items()
        if table.tokens.get(seat) == hashed(token)
    }


def _own_links(request: Request, table: Table) -> list[SeatLink]:
    """Return the links with which this browser's owner continues elsewhere."""
    found = []
    for token in tokens_of(request):
        key = table.key(token)
        if key.host:
            found.append(SeatLink("the host", f"{base_url(request)}/h/{table.game}/{token}"))
        elif key.seats:
            names = " and ".join(table.names[seat] for seat in key.seats)
            found.append(SeatLink(names, f"{base_url(request)}/s/{token}"))
    return found


def sheet_rows(view: TableView) -> list[list[TurnView | None]]:
    """Return the score sheet as rows, one for each round, or for each of the turns in a row, with a place for
    every seat.
    """
    rows: dict[tuple[int, int], list[TurnView | None]] = {}
    had = Counter[tuple[int, int]]()
    for turn in view.sheet:
        row = rows.setdefault((turn.round, had[turn.round, turn.seat]), [None] * len(view.seats))
        row[turn.seat] = turn
        had[turn.round, turn.seat] += 1
    return list(rows.values())


def sheet_kept(view: TableView, rules: Rules, rows: list[list[TurnView | None]]) -> dict[str, Any] | None:
    """Return the data with which the host's browser continues a table with real dice offline; None for others.

    ``rows`` are the rounds of the score sheet.
    """
    if view.dice != "manual" or not view.host:
        return None
    bots = any(seat.who.startswith("bot:") for seat in view.seats)
    return {
        "title": view.title,
        "farkle": capital(farkle_word(rules.name)),
        "names": [seat.name for seat in view.seats],
        "playing": [seat.status == "in" for seat in view.seats],
        "scores": [seat.score for seat in view.seats],
        "rounds": [[_entry(turn, rules) for turn in row] for row in rows],
        "turn": view.turn,
        "seat": view.seat,
        "number": view.number,
        "dice": rules.dice,
        "asks_dice": rules.take_over.allowed,
        "open": rules.turns_in_row == 1
        and view.started
        and not view.over
        and not bots
        and view.phase in ("offer", "roll", "keep"),
    }


def _entry(turn: TurnView | None, rules: Rules) -> str:
    if turn is None:
        return ""
    return "Skipped" if turn.passed else capital(farkle_word(rules.name)) if turn.farkle else f"+{turn.points:,}"
