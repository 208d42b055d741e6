"""The dice of a record against what it says of their origin."""

from __future__ import annotations

from farkel.dice import Roll, commitment, derive, faces_text, seeded
from farkel.errors import RecordError
from farkel.game import (
    Note,
    Throw,
)
from farkel.records.record import Move, Record
from farkel.support.words import counted


def verify(record: Record) -> list[str]:
    """Check a record and return the checks made. Raises `RecordError` at the first fault.

    Reading has already checked every event against the rules and every line against its check; here the dice follow:
    committed dice against the revealed secret, seeded ones against the seed.
    """
    if record.problem is not None:
        raise record.problem
    header, said = record.header, []
    said.append(f"{len(record.moves)} events, all within the rules ({header.rules.name}, {header.rules.digest})")
    kind = header.dice.kind
    throws = [move for move in record.moves if isinstance(move.event, Throw)]
    noted = sum(isinstance(move.event, Note) and not move.event.passes for move in record.moves)
    if noted:
        said.append(f"{counted(noted, 'turn', 'turns')} entered by people, which nothing can check")
    if kind == "manual":
        said.append(
            f"{len(throws)} rolls of real dice, entered by people; {counted(record.fallen, 'time', 'times')} dice fell"
        )
    elif kind == "system":
        said.append(f"{len(throws)} rolls by the system's generator, which cannot be checked afterwards")
    elif kind == "seeded":
        _check_throws(throws, seeded(header.dice.value).key, (), "the seed")
        said.append(f"{len(throws)} rolls follow from the seed {header.dice.value}")
    elif record.secret is None:
        said.append(f"{len(throws)} rolls cannot be checked yet: the secret is revealed when the game is over")
    else:
        if commitment(record.secret) != header.dice.value:
            raise RecordError("wrong_secret", "the revealed secret is not the one committed to before the game")
        _check_throws(throws, record.secret, header.dice.words, "the secret")
        said.append(f"{len(throws)} rolls follow from the secret committed to before the game")
    return said


def _check_throws(throws: list[Move], key: bytes, words: tuple[str, ...], origin: str) -> None:
    for index, move in enumerate(throws):
        faces: Roll = move.event.faces if isinstance(move.event, Throw) else ()
        due = derive(key, words, index, len(faces))
        if faces != due:
            raise RecordError(
                "wrong_dice",
                f"event {move.number}: the roll {faces_text(faces, '-')} does not follow from {origin}; "
                f"it should be {faces_text(due, '-')}",
            )
