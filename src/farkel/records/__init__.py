"""Games as files: written line by line as they are played, read back, checked; their turns in figures.

The format is described in ``docs/notation.md``. A record stands alone: it holds the rules, the seats, where the dice
came from and every event. Each line carries a check that depends on all lines above it, so that a damaged, cut off or
edited line is found and everything above it can still be trusted.
"""

from farkel.records.lines import event_text, event_texts, fall_text, header_lines, record_text
from farkel.records.reading import MOST_BYTES, MOST_LINE, MOST_LINES, finished, parse_record, person_decided, read, take
from farkel.records.record import DiceKind, DiceSpec, Header, Move, Record, Seating, check_seats
from farkel.records.verifying import verify
from farkel.records.writing import RecordWriter

__all__ = [
    "MOST_BYTES",
    "MOST_LINE",
    "MOST_LINES",
    "DiceKind",
    "DiceSpec",
    "Header",
    "Move",
    "Record",
    "RecordWriter",
    "Seating",
    "check_seats",
    "event_text",
    "event_texts",
    "fall_text",
    "finished",
    "header_lines",
    "parse_record",
    "person_decided",
    "read",
    "record_text",
    "take",
    "verify",
]
