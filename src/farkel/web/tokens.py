"""Who may do what: tokens, of which the server keeps only hashes, and the keys that they are.

A token has 192 bits from the system's generator, so its plain SHA-256 cannot be searched.
"""

from __future__ import annotations

import hashlib
import hmac
import sys
from base64 import urlsafe_b64encode
from dataclasses import dataclass, field

from farkel.dice.chance import Chance

LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
"""Thirty-two that are not taken for each other."""


@dataclass(frozen=True, slots=True)
class Key:
    """Permissions at a table: the host's, those for some seats, or only to watch."""

    host: bool = False
    seats: frozenset[int] = frozenset()
    at: int = field(default=sys.maxsize, compare=False)
    """Number of the last event when this was so: a link made after it has taken its seat away."""

    @property
    def watches(self) -> bool:
        return not (self.host or self.seats)


def new_token(chance: Chance, *about: object) -> str:
    """Return a token for a link: 32 letters, digits, - and _."""
    return urlsafe_b64encode(chance.unique(24, "token", *about)).decode()


def new_name(chance: Chance, *about: object) -> str:
    """Return a name for a game, which is enough to watch it, a group or a webhook: 12 letters and digits, 60 bits."""
    return name_of(chance.unique(12, "name", *about))


def name_of(drawn: bytes) -> str:
    """Return the name that 12 bytes, the first of these, stand for."""
    return "".join(LETTERS[byte % 32] for byte in drawn[:12])


CODE = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""The characters of an invitation's code: without 0, O, 1 and I."""
CODE_LENGTH = 6


def new_code(chance: Chance, game: str) -> str:
    """Return a code that invites to the free seats of a game: 30 bits, to be read aloud and typed, so tries
    are limited.
    """
    return "".join(CODE[byte % 32] for byte in chance.unique(CODE_LENGTH, "code", game))


def code_of(said: str) -> str:
    """Return the code as it was made, however it was typed: in small letters, with spaces or a hyphen. ""
    if it is none.
    """
    code = said.upper().replace("-", "").replace(" ", "")
    return code if len(code) == CODE_LENGTH and set(code) <= set(CODE) else ""


def code_text(code: str) -> str:
    """Return the code as people read it: ``7K2-P9Q``."""
    return f"{code[:3]}-{code[3:]}"


def following(token: str, game: str) -> str:
    """Return the token for the next game of the same seats: whoever has the one has the other, and
    no one else.
    """
    return urlsafe_b64encode(hmac.digest(token.encode(), game.encode(), "sha256")[:24]).decode()


def following_game(host: str) -> str:
    """Return the name of the game after the one that the token hosts, so that it is opened once however
    often it is asked.
    """
    return name_of(hmac.digest(host.encode(), b"again", "sha256"))


def bearer_token(authorization: str) -> str:
    """Return the token of a header ``Authorization: Bearer TOKEN``; "" if it has none."""
    scheme, _, token = authorization.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def hashed(token: str) -> str:
    """Return the stored form of a token."""
    return hashlib.sha256(token.encode()).hexdigest()
