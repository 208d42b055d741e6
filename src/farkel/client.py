"""A client of a Farkel server: its interface for programs as methods, and a player that plays a seat through it.

    with Client("http://127.0.0.1:8000") as client:
        opened = client.open("standard", [{"name": "Ann", "who": "far"}, {"name": "Ben", "who": "bot:bold"}])

    with Client.of(opened["links"]["0"]) as ann:
        end = play(ann, *ann.seat(), make_player("cautious"))

Requests that may be repeated are sent again when the connection is lost, so a server may be restarted in the middle
of a game. Needs the extra ``web``.
"""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self, TypeVar

from farkel.dice.chance import SYSTEM, Chance
from farkel.errors import FarkelError, PlayerError, RecordError, ServerError, Unreachable
from farkel.game import Action, IllegalEvent, State, check
from farkel.game.story import facts, tell
from farkel.players import Player, make_player
from farkel.players.protocol import as_sent, prepare
from farkel.records import DiceSpec, Header, Move, Record, Seating, take
from farkel.rules import AnyRules, Rules, as_rules, parse, validated
from farkel.support.extras import needs

needs("web", "farkel.client", modules=["httpx"])

import httpx  # noqa: E402

T = TypeVar("T")

ANSWERS = 15.0
"""Seconds that the server may take to answer."""
SILENT = 60.0
"""Seconds without a sign of life after which an event stream is taken for dead; the server gives one every 15."""
PATIENCE = 600.0
"""Seconds for which a server that has answered before is waited for."""
SHORTEST, LONGEST = 0.1, 3.0
"""Seconds between two attempts to reach the server, which grow."""
AGAIN = (429, 502, 503, 504)
"""Answers that say: not just now."""

LINK = re.compile(
    r"(?P<server>https?://[^/?#\s]+(?:/[^?#\s]*?)?)"
    r"/(?:s/(?P<token>[\w-]{16,64})|(?:g|api/v1/games)/(?P<game>[a-z0-9]{12}))/?(?:[?#].*)?"
)


class Link(NamedTuple):
    """The address of a game on a server, and the token of a seat."""

    server: str
    token: str = ""
    game: str = ""

    @classmethod
    def of(cls, url: str) -> Link:
        """Parse the link of a seat, ``.../s/TOKEN``, or of a game, ``.../g/GAME`` or ``.../api/v1/games/GAME``.

        Raises `PlayerError` ``bad_link`` for anything else.
        """
        match = LINK.fullmatch(url.strip())
        if match is None:
            raise PlayerError(
                "bad_link",
                f'"{url}" is not the link of a game: give the link of a seat, such as http://HOST:8000/s/TOKEN, or the '
                "address http://HOST:8000/api/v1/games/GAME and a token",
            )
        return cls(match["server"], match["token"] or "", match["game"] or "")


class Client:
    """One server and one token: that of a seat, that of a host, or none to watch.

    Methods return the server's answers, as JSON objects; ``/api/openapi.json`` of the server describes them. They
    raise `ServerError` if it refuses, and `Unreachable` if it does not answer: immediately if it never has, else
    after ``patience`` seconds. Names of its requests, words for the dice and players' chance come from ``chance``. A
    client is for one thread.
    """

    def __init__(self, server: str, token: str = "", *, patience: float = PATIENCE, chance: Chance = SYSTEM) -> None:
        headers = {"authorization": f"Bearer {token}"} if token else {}
        try:
            self._http = httpx.Client(base_url=f"{server.rstrip('/')}/api/v1/", headers=headers, timeout=ANSWERS)
        except (httpx.InvalidURL, ValueError) as error:
            raise Unreachable("bad_address", f'"{server}" is no address of a server: {error}') from None
        self.server = server
        self.patience = patience
        self.chance = chance
        self._answered = False

    @classmethod
    def of(cls, link: str, *, patience: float = PATIENCE, chance: Chance = SYSTEM) -> Client:
        """Return the client for a link. Raises `PlayerError` ``bad_link``."""
        found = Link.of(link)
        return cls(found.server, found.token, patience=patience, chance=chance)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    # What can be asked ------------------------------------------------------------------------------------------------

    def open(
        self,
        rules: AnyRules,
        seats: Sequence[Mapping[str, Any]],
        dice: str = "committed",
        allowed: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Open a game; return its name and the tokens and links of its host and of the distant seats.

        This one is not sent again by itself: if the connection is lost, the game may or may not have been opened.
        """
        body = {
            "rules": str(as_rules(rules)),
            "seats": [dict(seat) for seat in seats],
            "dice": dice,
            "allowed": allowed or {},
        }
        return _json(self._send("POST", "games", again=False, json=body), dict)

    def seat(self) -> tuple[str, int]:
        """Return the game and the seat, counted from 0, that the token opens."""
        found = _json(self._send("GET", "seat"), dict)
        return found["game"], found["seat"]

    def game(self, game: str) -> dict[str, Any]:
        """Return the game as the token shows it."""
        return _json(self._send("GET", f"games/{game}"), dict)

    def submit(
        self, game: str, move: Mapping[str, Any], *, seen: int | None = None, request: str = ""
    ) -> dict[str, Any]:
        """Submit a move: ``{"do": "roll"}``, ``{"do": "keep", "dice": [1, 5], "then": "bank"}`` and so on.

        ``seen``: number of the last event seen; if more has happened, `ServerError` ``stale``. ``request``: a name
        for it, by default a unique one; under the same name it counts once, however often it is sent.
        """
        body = {"move": dict(move), "seen": seen, "request": request or self.chance.unique(16, game, "request").hex()}
        return _json(self._send("POST", f"games/{game}/moves", json=body), dict)

    def events(self, game: str, after: int = 0) -> list[dict[str, Any]]:
        """Return the events of a game after that number."""
        return _json(self._send("GET", f"games/{game}/events", params={"after": after}), list)

    def again(self, game: str) -> dict[str, Any]:
        """Return the next game of the same seats, with this seat's token there.

        The host's token opens it; others are refused with ``no_next`` until then. Sent twice, it is the same game.
        """
        return _json(self._send("POST", f"games/{game}/again"), dict)

    def record(self, game: str) -> str:
        """Return the game as the text of a record."""
        return self._send("GET", f"games/{game}/record").text

    def follow(self, game: str, after: int = 0) -> Iterator[dict[str, Any]]:
        """Yield the events after that one as they happen, each once and in order, across lost connections.

        News that is not stored, such as reactions, comes in between and has no ``number``.
        """
        waits = self._waits()
        while True:
            try:
                for told in self._stream(game, after):
                    waits = self._waits()
                    if told is None or told.get("number", after + 1) <= after:
                        continue
                    after = told.get("number", after)
                    yield told
                waits.wait(self._lost("it ended the event stream"))
            except httpx.TransportError as error:
                waits.wait(self._lost(error))
            except ServerError as error:
                if error.status not in AGAIN:
                    raise
                waits.wait(error)

    def _stream(self, game: str, after: int) -> Iterator[dict[str, Any] | None]:
        """Yield one connection's events until it ends, and None for a comment, which shows that a quiet server lives.

        The library httpx-sse would drop comments, and patience would then run out in a long silence.
        """
        timeout = httpx.Timeout(ANSWERS, read=SILENT)
        with self._http.stream("GET", f"games/{game}/stream", params={"after": after}, timeout=timeout) as response:
            if not response.is_success:
                response.read()
                raise _refusal(response)
            self._answered = True
            data: list[str] = []
            for line in response.iter_lines():
                name, _, value = line.partition(":")
                if name == "data":
                    data.append(value.removeprefix(" "))
                elif not line:
                    yield json.loads("\n".join(data)) if data else None
                    data = []

    # How it is asked --------------------------------------------------------------------------------------------------

    def _send(self, method: str, path: str, *, again: bool = True, **how: Any) -> httpx.Response:
        waits = self._waits()
        while True:
            try:
                response = self._http.request(method, path, **how)
            except httpx.TransportError as error:
                failed: FarkelError = self._lost(error)
                after = 0.0
            except httpx.InvalidURL as error:
                raise Unreachable("bad_address", f'"{self.server}" is no address of a server: {error}') from None
            else:
                self._answered = True
                if response.is_success:
                    return response
                failed = _refusal(response)
                if response.status_code not in AGAIN:
                    raise failed
                after = float(given) if (given := response.headers.get("retry-after", "")).isdecimal() else 0.0
            if not again:
                raise failed
            waits.wait(failed, after)

    def _waits(self) -> _Waits:
        return _Waits(self.patience if self._answered else 0.0)

    def _lost(self, why: object) -> Unreachable:
        return Unreachable("no_server", f"{self.server} does not answer: {str(why) or type(why).__name__}")


class _Waits:
    """Growing pauses, for a limited time in all."""

    def __init__(self, patience: float) -> None:
        self._until = time.monotonic() + patience
        self._next = SHORTEST

    def wait(self, failed: FarkelError, at_least: float = 0.0) -> None:
        """Wait a little, or raise the failure if patience has run out."""
        pause = max(self._next, at_least)
        if time.monotonic() + pause > self._until:
            raise failed
        time.sleep(pause)
        self._next = min(LONGEST, 2 * self._next)


def _json(response: httpx.Response, kind: type[T]) -> T:
    try:
        found = response.json()
    except ValueError:
        found = None
    if not isinstance(found, kind):
        raise ServerError("not_farkel", f"{response.url} answers, but not as Farkel does", response.status_code, {})
    return found


def _refusal(response: httpx.Response) -> ServerError:
    try:
        body = response.json()
        return ServerError(body["code"], body["message"], response.status_code, body)
    except (ValueError, KeyError, TypeError):
        status = response.status_code
        return ServerError(f"http_{status}", f"{response.url} answers {status}, and not as Farkel does", status, {})


# A game as its events tell it ----------------------------------------------------------------------------------------


@dataclass(slots=True)
class Followed:
    """A game rebuilt from its events, so that players decide on a true `State`."""

    rules: Rules
    seats: tuple[Seating, ...]
    dice: DiceSpec
    number: int = 0
    """Of the last event taken."""
    given: set[int] = field(default_factory=set)
    """Seats that have given a word for the dice."""
    record: Record | None = None
    """None until the game has started."""

    @classmethod
    def of(cls, view: Mapping[str, Any]) -> Followed:
        """Return a game before its first event, from any answer of `Client.game`."""
        return cls(parse(view["rules"]), _seatings(view["seats"]), DiceSpec(view["dice"], view["commitment"]))

    def take(self, events: Iterable[Mapping[str, Any]]) -> list[Move]:
        """Take the events that follow, skip known ones, and return the moves among them.

        Raises `RecordError` for events that are out of order or against the rules.
        """
        played = []
        for event in events:
            if event["number"] <= self.number:
                continue
            if event["number"] != self.number + 1:
                raise RecordError("malformed", f"event {event['number']} follows event {self.number}")
            if event["kind"] == "word":
                self.given.add(event["seat"])
            elif event["kind"] == "plan":
                self.rules = validated(event["rules"], "the rules of the game") if "rules" in event else self.rules
                self.seats = _seatings(event["seats"]) if "seats" in event else self.seats
                self.given = {seat for seat in self.given if seat < event.get("first", len(self.seats))}
            elif event["kind"] == "start":
                words = tuple(event["words"]) if self.dice.kind == "committed" else ()
                self.record = Record(Header(self.rules, self.seats, self.dice._replace(words=words), event["date"]))
            elif event["kind"] == "move" and self.record is not None:
                stood = len(self.record.moves)
                take(self.record, event["text"])
                played += self.record.moves[stood:]
            self.number = event["number"]
        return played

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(seat.name for seat in self.seats)

    @property
    def people(self) -> list[int]:
        """How many there are in each seat."""
        return [len(seat.people) for seat in self.seats]

    @property
    def state(self) -> State | None:
        """The state of the game; None until it has started."""
        return None if self.record is None else self.record.state

    @property
    def over(self) -> bool:
        return self.record is not None and self.record.state.over


def _seatings(seats: Iterable[Mapping[str, Any]]) -> tuple[Seating, ...]:
    """Return seats as a record has them."""
    return tuple(
        Seating(
            seat["name"],
            tuple(seat["people"]) or (seat["name"],),
            seat["who"] if seat["who"].startswith("bot:") else "human",
        )
        for seat in seats
    )


# Playing a seat -------------------------------------------------------------------------------------------------------


def play(
    client: Client,
    game: str,
    seat: int,
    player: Player,
    say: Callable[[str], None] = lambda line: None,
) -> Followed:
    """Let a player play a seat, counted from 0, to the end of the game; ``say`` gets sentences about its moves.

    Before the game it gives a word of its own for committed dice. Raises `PlayerError`: ``not_yours`` if the token
    does not hold the seat, ``raised`` or ``illegal`` if the player breaks down or breaks the rules, and what
    `Thinker.check` raises; and what `Client` raises.
    """
    player = make_player(player)
    view = client.game(game)
    if not (0 <= seat < len(view["seats"]) and view["seats"][seat]["yours"]):
        raise PlayerError("not_yours", f"this token does not hold seat {seat + 1} of the game {game}")
    followed = Followed.of(view)
    say(f"{player.name} plays for {followed.names[seat]}: {view['title']}, {' against '.join(followed.names)}.")
    prepare(followed.rules, [player], followed.people)
    prepared = followed.rules, followed.seats
    followed.take(client.events(game))
    _give_word(client, game, followed, seat, say)
    if followed.record is None:
        say("Waiting for the host to start the game.")
    stream = client.follow(game, followed.number)
    while not followed.over:
        if prepared != (followed.rules, followed.seats):  # the host may change both before the start
            prepare(followed.rules, [player], followed.people)
            prepared = followed.rules, followed.seats
        generator = client.chance.generator(game, followed.number, "decide")
        move = _due(followed, seat, player, generator)
        _hear(followed, [next(stream)] if move is None else _submitted(client, game, followed, move), seat, say)
    return followed


def _due(followed: Followed, seat: int, player: Player, generator: random.Random) -> dict[str, Any] | None:
    """Return the next move of the seat; None if it waits for others."""
    state = followed.state
    if state is None or state.over or state.seat != seat:
        return None
    if state.dice_due:
        return None if followed.dice.kind == "manual" else {"do": "roll"}
    return as_sent(decided(player, state, generator))


def decided(player: Player, state: State, generator: random.Random) -> Action:
    """Return the player's decision. Raises `PlayerError` ``raised`` or ``illegal`` if it cannot be played."""
    try:
        action: Any = player.decide(state, generator)
    except (Exception, SystemExit) as error:
        raise PlayerError("raised", f"{player.name} raised {type(error).__name__}: {error}") from error
    if not isinstance(action, Action):
        raise PlayerError("illegal", f"{player.name} returned {action!r:.200}, which is no action")
    try:
        check(state, action)
    except IllegalEvent as error:
        raise PlayerError("illegal", f"{player.name} broke the rules: {error.message}") from error
    except Exception as error:  # an action that is made of the wrong things
        raise PlayerError("illegal", f"{player.name} returned {action!r:.200}, which is no action") from error
    return action


def _submitted(client: Client, game: str, followed: Followed, move: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Submit a move and return the events that follow, whether it was accepted or another came first."""
    try:
        accepted = client.submit(game, move, seen=followed.number)
    except ServerError as error:
        if error.code != "stale":
            raise
        return client.events(game, followed.number)
    return client.events(game, followed.number) if accepted["repeated"] else accepted["events"]


def _give_word(client: Client, game: str, followed: Followed, seat: int, say: Callable[[str], None]) -> None:
    if followed.record is not None or followed.dice.kind != "committed" or seat in followed.given:
        return
    word = client.chance.draw(6, game, seat, "word").hex()
    try:
        client.submit(game, {"do": "word", "seat": seat, "word": word})
    except ServerError as error:
        if error.code != "started":
            raise
    else:
        say(f'The word "{word}" is mixed into the dice.')


def _hear(followed: Followed, told: Iterable[Mapping[str, Any]], seat: int, say: Callable[[str], None]) -> None:
    """Take events, and report the seat's moves among them."""
    for move in followed.take(event for event in told if "number" in event):
        if move.before.seat == seat:
            for fact in facts(move.before, move.event, move.after):
                if fact.kind != "over":
                    say(tell(fact, followed.names, move.after))
