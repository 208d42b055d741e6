"""A tournament as a TOML file describes it: who plays whom, under which rules, how often."""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from itertools import combinations, product
from math import comb
from pathlib import Path
from typing import Any, Literal, NamedTuple

from farkel.dice.simulated import DERIVATION, SEEDS
from farkel.errors import ArenaError, FarkelError
from farkel.players.own import load_player, player_file
from farkel.rules import load
from farkel.simulation.jobs import Job, check_table
from farkel.simulation.tally import SEATS
from farkel.support.bounds import not_utf_8
from farkel.support.words import counted

Kind = Literal["round-robin", "swiss"]
KINDS: tuple[Kind, ...] = ("round-robin", "swiss")
KEYS = ("title", "kind", "rules", "players", "games", "seats", "people", "rounds", "seed", "limit")
MOST_PLAYERS = 100
MOST_GAMES = 10**9
MOST_PEOPLE = 8
"""In a team, under any rules."""


class RuleSet(NamedTuple):
    """Rules of a tournament."""

    label: str
    """As the file has them."""
    notation: str
    digest: str

    def __str__(self) -> str:
        return self.label


class Entrant(NamedTuple):
    """A player of a tournament."""

    name: str
    """As the file has it."""
    content: str
    """A hash of the file that the player is from; empty for one by name."""


class Fixture(NamedTuple):
    """Games of some players under some rules. With its seed and the size of teams, its games depend on nothing else."""

    round: int
    """From 1 on."""
    rules: str
    """In notation."""
    players: tuple[str, ...]
    seed: int

    def __str__(self) -> str:
        return f"{' against '.join(self.players)} under {self.rules}, seed {self.seed}"


@dataclass(frozen=True, slots=True)
class TournamentPlan:
    """A tournament. Two plans that are equal play the same games."""

    title: str
    kind: Kind
    rules: tuple[RuleSet, ...]
    entrants: tuple[Entrant, ...]
    games: int
    """Of each match."""
    seats: int
    rounds: int
    seed: int
    limit: float
    """Seconds that a player in Python may take for a decision."""
    people: int = 1
    """In the team of each player."""

    def __str__(self) -> str:
        kind = (
            f"Swiss tournament of {counted(self.rounds, 'round', 'rounds')}"
            if self.kind == "swiss"
            else "Round robin" + (f" at tables of {self.seats}" if self.seats > 2 else "")
        )
        people = f" with teams of {self.people}" if self.people > 1 else ""
        rules = ", ".join(map(str, self.rules))
        title = f"{self.title}: " if self.title else ""
        return f"{title}{kind}, {len(self.players)} players{people}, under {rules}, seed {self.seed}"

    @property
    def players(self) -> tuple[str, ...]:
        return tuple(entrant.name for entrant in self.entrants)

    @property
    def matches(self) -> int:
        """How many there are in all."""
        tables = len(self.players) // 2 * self.rounds if self.kind == "swiss" else comb(len(self.players), self.seats)
        return tables * len(self.rules)

    def match(self, number: int, rules: RuleSet, players: Sequence[str]) -> Fixture:
        """Return a match of that round. The order of the players does not matter: they are sorted."""
        seated = tuple(sorted(players))
        key = json.dumps([DERIVATION, self.seed, number, rules.digest, seated])
        # 63 bits: a whole number of SQLite's has a sign.
        return Fixture(number, rules.notation, seated, int.from_bytes(sha256(key.encode()).digest()[:8]) >> 1)

    def everybody(self) -> list[Fixture]:
        """Return the matches of a round robin."""
        return [
            self.match(1, rules, players) for rules in self.rules for players in combinations(self.players, self.seats)
        ]

    def job(self, match: Fixture, folder: Path) -> Job:
        """Return the games of a match; files of players are found from that folder."""
        players = tuple(found_from(folder, player) for player in match.players)
        people = (self.people,) * len(players)
        return Job(match.rules, players, match.seed, games=self.games, people=people, limit=self.limit)

    def text(self) -> str:
        """Return the plan as JSON, which `from_text` reads."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_text(cls, text: str) -> TournamentPlan:
        tree = json.loads(text)
        rules, entrants = tree.pop("rules"), tree.pop("entrants")
        return cls(
            **tree,
            rules=tuple(RuleSet(*one) for one in rules),
            entrants=tuple(Entrant(*one) for one in entrants),
        )


def found_from(folder: Path, spec: str) -> str:
    """Return the player's spec, its file found from that folder."""
    found = player_file(spec)
    return spec if found is None else f"{folder / found[0]}:{found[1]}"


def adopted(old: TournamentPlan, new: TournamentPlan) -> TournamentPlan:
    """Return the new plan with rules as the old one wrote them, if they are the same games.

    Seeds of matches follow from the digest, which an older version may have written differently.
    """
    known: dict[str, RuleSet] = {}
    for rules in old.rules:
        with suppress(FarkelError):
            known[load(rules.notation).digest] = rules
    return replace(new, rules=tuple(known.get(rules.digest, rules)._replace(label=rules.label) for rules in new.rules))


def continues(old: TournamentPlan, new: TournamentPlan) -> str | None:
    """Return why games of the old plan cannot be games of the new one; None if they are.

    A round robin may get more games, players and rules; a Swiss tournament, whose pairings depend on the results, more
    rounds only.
    """
    kept = {entrant.name: entrant for entrant in new.entrants}
    for entrant in old.entrants:
        if entrant.name not in kept:
            return f"{entrant.name} has played in it and is not among the players any more"
        if kept[entrant.name] != entrant:
            return f"{entrant.name} is not the player any more that began it: its file has changed"
    if gone := [rules.label for rules in old.rules if rules.digest not in {one.digest for one in new.rules}]:
        return f"games were played under {gone[0]}, which is not among the rules any more, or has changed"
    changed = [key for key in ("kind", "seats", "people", "seed", "limit") if getattr(old, key) != getattr(new, key)]
    if old.kind == "swiss":
        changed += [key for key in ("games", "rules", "players") if getattr(old, key) != getattr(new, key)]
    if changed:
        key = changed[0]
        return f"{key} was {_shown(getattr(old, key))}, and is {_shown(getattr(new, key))} now"
    less = [key for key in ("games", "rounds") if getattr(old, key) > getattr(new, key)]
    if less:
        return f"{less[0]} was {getattr(old, less[0]):,}, and is only {getattr(new, less[0]):,} now"
    return None


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(one.label if isinstance(one, RuleSet) else str(one) for one in value)
    return str(value)


# Reading -------------------------------------------------------------------------------------------------------------


def read_plan(path: Path) -> TournamentPlan:
    """Return the tournament that a file describes.

    Raises `ArenaError` ``no_file``, ``unreadable``, ``bad_plan``: the message says what was wrong, where, and what
    would be right.
    """
    try:
        text = path.read_text("utf-8-sig")
    except FileNotFoundError:
        raise ArenaError("no_file", f"there is no file {path}; a tournament is described in a TOML file") from None
    except UnicodeDecodeError as error:
        raise ArenaError("unreadable", f"{path} cannot be read: {not_utf_8(error.object)}") from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ArenaError("unreadable", f"{path} cannot be read: {why}") from None
    return parse_plan(text, str(path), path.parent)


def parse_plan(text: str, where: str, folder: Path) -> TournamentPlan:
    """Return the tournament that a TOML text describes; files of players and rules are found from ``folder``.

    where: what errors call the text. Raises `ArenaError` ``bad_plan``, as `read_plan` does.
    """
    try:
        tree = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ArenaError("bad_plan", f"{where} is no TOML: {error}") from None
    return _Reading(tree, text, where, folder).plan()


class _Reading:
    """Looks at one key after the other."""

    def __init__(self, tree: Mapping[str, Any], text: str, where: str, folder: Path) -> None:
        self._tree = tree
        self._text = text
        self._where = where
        self._folder = folder

    def plan(self) -> TournamentPlan:
        for key in self._tree:
            if key not in KEYS:
                close = difflib.get_close_matches(key, KEYS, n=1)
                hint = f'did you mean "{close[0]}"?' if close else f"there are: {', '.join(KEYS)}"
                raise self._wrong(key, f'there is no key "{key}"; {hint}')
        kind = self._kind()
        rules = self._rules()
        entrants = self._entrants()
        seats = self._number("seats", 2, 2, min(SEATS, len(entrants)))
        if kind == "swiss" and seats != 2:
            raise self._wrong("seats", "a Swiss tournament pairs two players; leave out seats, or play a round robin")
        most = len(entrants) - 1 + len(entrants) % 2
        rounds = self._number("rounds", min(most, (len(entrants) - 1).bit_length()), 1, most) if kind == "swiss" else 1
        if kind != "swiss" and "rounds" in self._tree:
            raise self._wrong("rounds", 'only a Swiss tournament has rounds; leave it out, or write kind = "swiss"')
        plan = TournamentPlan(
            title=self._text_of("title"),
            kind=kind,
            rules=rules,
            entrants=entrants,
            games=self._number("games", 1_000, 1, MOST_GAMES),
            seats=seats,
            rounds=rounds,
            seed=self._number("seed", 0, 0, SEEDS - 1),
            limit=self._limit(),
            people=self._number("people", 1, 1, MOST_PEOPLE),
        )
        for one, (key, people) in product(rules, (("seats", 1), ("people", plan.people))):
            try:
                check_table(load(one.notation), seats, (people,) * seats)
            except FarkelError as error:
                raise self._wrong(key if key in self._tree else "rules", error.message) from None
        return plan

    def _kind(self) -> Kind:
        given = self._tree.get("kind", KINDS[0])
        for kind in KINDS:
            if given == kind:
                return kind
        close = difflib.get_close_matches(str(given), KINDS, n=1)
        hint = f' did you mean "{close[0]}"?' if close else ""
        raise self._wrong("kind", f'"{given}" is no kind of tournament;{hint} there are: {", ".join(KINDS)}')

    def _rules(self) -> tuple[RuleSet, ...]:
        found: list[RuleSet] = []
        for label in self._list("rules", 'rules = ["extended", "standard(target=5000)", "./ours.toml"]'):
            is_file = label.endswith((".toml", ".json"))
            try:
                rules = load(self._folder / Path(label).expanduser() if is_file else label)
            except FarkelError as error:
                raise self._wrong("rules", error.message) from None
            same = [one.label for one in found if one.digest == rules.digest]
            if same:
                raise self._wrong("rules", f"{label} and {same[0]} are the same rules; give them once")
            found.append(RuleSet(label, str(rules), rules.digest))
        return tuple(found)

    def _entrants(self) -> tuple[Entrant, ...]:
        found: dict[str, Entrant] = {}
        names = self._list("players", 'players = ["turn", "cautious", "./mine.py:Greedy"]')
        for name in names:
            if name in found:
                raise self._wrong("players", f"{name} is there twice; give each player once")
            try:
                load_player(found_from(self._folder, name))
            except FarkelError as error:
                raise self._wrong("players", error.message) from None
            file = player_file(name)
            content = "" if file is None else sha256((self._folder / file[0]).read_bytes()).hexdigest()[:16]
            found[name] = Entrant(name, content)
        if not 2 <= len(found) <= MOST_PLAYERS:
            there = "one player" if len(found) == 1 else f"{len(found)} players"
            raise self._wrong("players", f"{there} cannot have a tournament: 2 to {MOST_PLAYERS} can")
        return tuple(found.values())

    def _list(self, key: str, example: str) -> list[str]:
        if key not in self._tree:
            raise ArenaError("bad_plan", f"{self._where}: {key} is missing; write, for instance: {example}")
        given = self._tree[key]
        if not isinstance(given, list) or not given or not all(isinstance(one, str) for one in given):
            raise self._wrong(key, f"this is a list of names; write, for instance: {example}")
        return [one.strip() for one in given]

    def _number(self, key: str, default: int, least: int, most: int) -> int:
        given = self._tree.get(key, default)
        if not isinstance(given, int) or isinstance(given, bool) or not least <= given <= most:
            raise self._wrong(key, f"{key} = {given} cannot be; it is a whole number from {least:,} to {most:,}")
        return given

    def _limit(self) -> float:
        given = self._tree.get("limit", 1.0)
        if isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given < float("inf"):
            raise self._wrong("limit", f"limit = {given} cannot be; it is a number of seconds above 0")
        return float(given)

    def _text_of(self, key: str) -> str:
        given = self._tree.get(key, "")
        if not isinstance(given, str) or len(given) > 100 or not (given.isprintable()):
            raise self._wrong(key, f"{key} is a line of text of at most 100 characters")
        return given

    def _wrong(self, key: str, what: str) -> ArenaError:
        """Return the error for a key, with its line if it is found."""
        found = re.search(rf"^\s*\[*\s*[\"']?{re.escape(key)}[\"']?\s*[=.\]]", self._text, re.MULTILINE)
        line = "" if found is None else f", line {self._text.count(chr(10), 0, found.end()) + 1}"
        return ArenaError("bad_plan", f"{self._where}{line}: {what}")
