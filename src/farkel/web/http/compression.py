"""Compression of answers, but for the secrets in them.

Compressing could betray a token that stands in an answer beside text which another chooses, such as the name of a
player, to one who sees how long the answers get (BREACH). A browser sends the tokens that its pages show as cookies, or
they are in the address. Where one of them stands in an answer it is sent as it is, between parts that are compressed
without a look at it or at each other; so the length does not depend on it.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Collection
from typing import Any

from starlette.middleware.gzip import GZipMiddleware, GZipResponder

from farkel.web.http.middleware import Scope

COMPRESSED_FROM = 1_000
"""Bytes; below that an answer is one packet anyway."""
LEVEL = 4
"""Of zlib's nine. On a board of 20 KiB it takes a third of the time of 9, and 3% more bytes."""
SECRET = re.compile(rb"[A-Za-z0-9_-]{32}")
"""A token, as `farkel.web.tokens` makes them."""


HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
"""Of gzip: deflated, and nothing said of its origin."""


class Compression(GZipMiddleware):
    """Middleware that compresses all but the tokens of the request."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        accepted = b",".join(value for name, value in scope.get("headers", ()) if name == b"accept-encoding")
        if scope["type"] == "http" and b"gzip" in accepted:
            await _Compressed(self.app, secrets_of(scope))(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)


class _Compressed(GZipResponder):
    def __init__(self, app: Any, secrets: frozenset[bytes]) -> None:
        super().__init__(app, COMPRESSED_FROM, LEVEL)
        self._secrets = secrets

    async def apply_compression(self, body: bytes, *, more_body: bool) -> bytes:
        held = [secret for secret in self._secrets if secret in body]
        if held and not more_body and self._compressor is None:
            return sealed(body, held)
        return await super().apply_compression(body, more_body=more_body)


def sealed(body: bytes, secrets: Collection[bytes]) -> bytes:
    """Return a body as gzip whose length does not depend on the secrets in it, each of less than 64 KiB."""
    deflated = [HEAD]
    for number, part in enumerate(re.split(b"(%s)" % b"|".join(map(re.escape, secrets)), body)):
        if number % 2:  # a block that is stored: not the last, its length, the same inverted
            deflated += [b"\0", len(part).to_bytes(2, "little"), (len(part) ^ 0xFFFF).to_bytes(2, "little"), part]
        else:
            alone = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
            deflated += [alone.compress(part), alone.flush(zlib.Z_FULL_FLUSH)]
    last = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS).flush()
    return b"".join((*deflated, last, zlib.crc32(body).to_bytes(4, "little"), len(body).to_bytes(4, "little")))


def secrets_of(scope: Scope) -> frozenset[bytes]:
    """Return what may be tokens in the cookies, the address and the authorization of a request."""
    said = [value for name, value in scope["headers"] if name in (b"cookie", b"authorization")]
    return frozenset(token for text in (scope["path"].encode(), *said) for token in SECRET.findall(text))
