"""Rules as they were written before scoring was a table of patterns: a field for each combination.

Whatever reads rules asks `translated` first, so that old files, notations and records keep their meaning.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Tree = dict[str, Any]

PATTERNS = {
    "one": "1",
    "five": "5",
    "three_ones": "111",
    "three_twos": "222",
    "three_threes": "333",
    "three_fours": "444",
    "three_fives": "555",
    "three_sixes": "666",
    "straight": "123456",
    "low_straight": "12345",
    "high_straight": "23456",
    "three_pairs": "aabbcc",
    "four_and_pair": "aaaabb",
    "two_triplets": "aaabbb",
}
"""Fields that were a pattern each."""
TRIPLES = tuple(name for name in PATTERNS if name.startswith("three_") and name != "three_pairs")
ALIKE = {"four_alike": 4, "five_alike": 5, "six_alike": 6}
MORE_ALIKE: dict[str, tuple[int, ...]] = {"points": (), "double": (2, 4, 8), "add": (2, 3, 4)}
"""Four, five and six of a kind as multiples of three; () for points of their own."""
SCORING = frozenset((*PATTERNS, *ALIKE, "more_alike", "nothing"))
ROLLED = {"toxic_twos": ("2222", "farkle"), "triple_ends_turn": ("aaa", "bank")}
"""Fields that were switches, and the effect of a roll if they are on."""
UNSET: Tree = {"1": 100, "5": 50, "111": 1000, "aaa": "100a"}
"""The scores if the old fields were missing."""
LABELS = ("name", "title", "source", "about")


def is_old(tree: Mapping[str, Any]) -> bool:
    """Return whether rules have a field of the old form."""
    scoring = tree.get("scoring")
    return not ROLLED.keys().isdisjoint(tree) or (isinstance(scoring, Mapping) and not SCORING.isdisjoint(scoring))


def old_field(field: str) -> bool:
    """Return whether a dotted name is a field of the old form."""
    group, _, name = field.rpartition(".")
    return (group == "scoring" and name in SCORING) or field in ROLLED


def translated(tree: Mapping[str, Any]) -> Tree:
    """Return the tree with patterns in place of fields of the old form; these change what its patterns say.

    A value that no such field could have stays as it is beside its pattern, and is then found to be wrong.
    """
    if not is_old(tree):
        return dict(tree)
    scoring = tree["scoring"] if isinstance(tree.get("scoring"), Mapping) else {}
    old = {name: value for name, value in scoring.items() if name in SCORING}
    pays: Tree = {name: value for name, value in scoring.items() if name not in SCORING} or dict(UNSET)
    rolled: Tree = dict(tree["rolled"]) if isinstance(tree.get("rolled"), Mapping) else {}
    dice = tree.get("dice", 6)
    _combinations(old, pays, rolled, dice if isinstance(dice, int) else 6)
    for name, (pattern, effect) in ROLLED.items():
        if name in tree:
            on = tree[name]
            _put(rolled, pattern, (effect if on else 0) if isinstance(on, bool) else str(on))
    rest = {name: value for name, value in tree.items() if name not in ROLLED}
    wrong = {name: tree[name] for name in ("scoring", "rolled") if not isinstance(tree.get(name, {}), Mapping)}
    return {**rest, "scoring": pays, "rolled": rolled, **wrong}


def digest(tree: Mapping[str, Any]) -> str:
    """Return the old digest of rules, given the fields that were not at their defaults."""
    game = {name: value for name, value in tree.items() if name not in LABELS}
    return hashlib.sha256(json.dumps(game, sort_keys=True).encode()).hexdigest()[:16]


def _combinations(old: Mapping[str, Any], pays: Tree, rolled: Tree, dice: int) -> None:
    """Change what combinations pay as the old fields say."""
    before = _multiples(pays)
    for name, pattern in PATTERNS.items():
        value = old.get(name)
        if name in TRIPLES and isinstance(value, int) and value < 0:
            rolled[pattern] = value
            for more in range(4):
                pays.pop(pattern + pattern[0] * more, None)
        elif name in old:
            pays[pattern] = value
            if name in TRIPLES and isinstance(rolled.get(pattern), int):
                del rolled[pattern]
    scoring = [face for face in range(1, 7) if not isinstance(rolled.get(str(face) * 3), int)]
    if any(name in old for name in TRIPLES):
        _generalise(pays, 3, scoring)
    kind = old.get("more_alike")
    known = isinstance(kind, str) and kind in MORE_ALIKE
    multiples = MORE_ALIKE[kind] if isinstance(kind, str) and known else before
    if kind is not None and not known:
        pays["more_alike"] = kind
    if multiples and (kind is not None or any(name in old for name in TRIPLES)):
        _multiply(pays, scoring, multiples, range(4, min(6, dice) + 1))
    for name, number in ALIKE.items():
        if (name in old and (old[name] or not multiples)) or (before and not multiples):
            _several(pays, number, old.get(name, 0))
    if "nothing" in old:
        _put(rolled, "nothing", old["nothing"])


def _multiples(pays: Mapping[str, Any]) -> tuple[int, ...]:
    """Return what four, five and six of a kind are multiples of three by; () if they are none."""
    threes = {face: paid for face in range(1, 7) if (paid := _paid(pays, face, 3))}
    for multiples in filter(None, MORE_ALIKE.values()):
        if threes and all(
            _paid(pays, face, number) == times * three
            for face, three in threes.items()
            for number, times in zip((4, 5), multiples, strict=False)
        ):
            return multiples
    return ()


def _multiply(pays: Tree, faces: Sequence[int], multiples: tuple[int, ...], numbers: Iterable[int]) -> None:
    """Let more of a kind pay multiples of three of a kind, for faces that are not fined."""
    threes = {face: _paid(pays, face, 3) for face in faces}
    for number, times in zip(numbers, multiples, strict=False):
        pays.update({str(face) * number: times * three for face, three in threes.items()})
        _generalise(pays, number, faces)


def _generalise(pays: Tree, number: int, faces: Sequence[int]) -> None:
    """Say what N of a kind pay for all faces together, as a multiple of the face, if most of them pay that."""
    paid = {face: _paid(pays, face, number) for face in faces}
    each = Counter(points // face for face, points in paid.items() if points % face == 0)
    times, often = each.most_common(1)[0] if each else (0, 0)
    if times and often > 1:
        explicit = {str(face) * number: points for face, points in paid.items()}
        pays.update({"a" * number: f"{times}a"} | explicit)


def _several(pays: Tree, number: int, points: Any) -> None:
    """Let N of any face pay these points."""
    for face in range(1, 7):
        pays.pop(str(face) * number, None)
    _put(pays, "a" * number, points)


def _put(table: Tree, pattern: str, value: Any) -> None:
    """Set an entry of a table, or leave it out if it is nothing."""
    if value == 0 and isinstance(value, int) and not isinstance(value, bool):
        table.pop(pattern, None)
    else:
        table[pattern] = value


def _paid(pays: Mapping[str, Any], face: int, number: int) -> int:
    """Return points of this many dice of a face, if patterns in their one form say so."""
    for pattern in (str(face) * number, "a" * number):
        value = pays.get(pattern)
        value = value.get("points") if isinstance(value, Mapping) else value
        if isinstance(value, str) and re.fullmatch(r"[0-9]{1,7}[a-f]", value):
            return int(value[:-1]) * face
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return 0
