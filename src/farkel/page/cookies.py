"""Cookies of the page: what answers set, as a browser would keep it. A worker's answers cannot set any there."""

from __future__ import annotations

from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie


class Cookies:
    """The cookies that were set, by path and name."""

    def __init__(self, kept: Mapping[str, str] | None = None) -> None:
        """``kept``: what `as_kept` returned before."""
        self._values: dict[tuple[str, str], str] = {}
        for place, value in (kept or {}).items():
            path, _, name = place.partition(" ")
            self._values[path, name] = value

    def sent_to(self, path: str) -> str:
        """Return the header for a request of a path."""
        return "; ".join(f"{name}={value}" for (below, name), value in self._values.items() if _is_below(path, below))

    def take(self, header: str) -> None:
        """Keep what an answer sets, and forget what it lets expire."""
        try:
            read = SimpleCookie(header)
        except CookieError:
            return
        for name, morsel in read.items():
            place = morsel["path"] or "/", name
            if morsel["max-age"] == "0" or not morsel.value:
                self._values.pop(place, None)
            else:
                self._values[place] = morsel.coded_value

    def as_kept(self) -> dict[str, str]:
        """Return them as a plain value."""
        return {f"{path} {name}": value for (path, name), value in self._values.items()}


def _is_below(path: str, below: str) -> bool:
    return path == below or path.startswith(below.rstrip("/") + "/")
