"""Results as tables: data frames of pandas or polars, whichever is installed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal

from farkel.errors import FarkelError
from farkel.support.extras import advice
from farkel.support.notebooks import table

Library = Literal["pandas", "polars"]
LIBRARIES: tuple[Library, ...] = ("pandas", "polars")
"""In the order in which they are tried."""


def frame(rows: Iterable[Mapping[str, Any] | tuple[Any, ...]], library: Library | None = None) -> Any:
    """Return a data frame of rows, which are mappings or named tuples; named tuples within rows become columns.

    library: the one to use; by default pandas, or else polars. Raises `FarkelError` ``not_installed`` with the command
    that installs what is missing, and ``bad_library``.
    """
    return import_module(_found(library)).DataFrame([dict(_columns(row)) for row in rows])


class Tabular:
    """A result that can be shown as a table, as notebooks do."""

    __slots__ = ()

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows of the table, each with all columns."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return table(str(self), self.rows())

    def to_frame(self, library: Library | None = None) -> Any:
        """Return `rows` as a data frame of pandas or polars; raise `FarkelError` as `frame` does."""
        return frame(self.rows(), library)


def _found(library: Library | None) -> Library:
    if library not in (None, *LIBRARIES):
        raise FarkelError("bad_library", f'"{library}" makes no tables here: choose "pandas" or "polars"')
    for name in LIBRARIES if library is None else (library,):
        if find_spec(name) is not None:
            return name
    if library == "polars":
        raise FarkelError("not_installed", "a table of polars needs polars: install it beside farkel, or use pandas")
    raise FarkelError("not_installed", f"a table needs pandas or polars: {advice('frames')}")


def _columns(row: Mapping[str, Any] | tuple[Any, ...], prefix: str = "") -> Iterator[tuple[str, Any]]:
    values: Mapping[str, Any] = row if isinstance(row, Mapping) else row._asdict()  # type: ignore[attr-defined]
    for name, value in values.items():
        if hasattr(value, "_asdict"):
            yield from _columns(value, f"{prefix}{name}_")
        else:
            yield f"{prefix}{name}", float(value) if isinstance(value, Fraction) else value
