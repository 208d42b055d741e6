"""Results as notebooks show them: small tables that screen readers understand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any


def table(caption: str, rows: Iterable[Mapping[str, Any]]) -> str:
    """Return an HTML table of rows that have the same columns."""
    shown = list(rows)
    heads = "".join(
        f'<th scope="col">{escape(str(name).replace("_", " "))}</th>' for name in (shown[0] if shown else ())
    )
    body = "".join(f"<tr>{''.join(map(_cell, row.values()))}</tr>" for row in shown)
    return f"<table><caption>{escape(caption)}</caption><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def page(title: str, *parts: str) -> str:
    """Return parts of HTML below a title."""
    return f"<h3>{escape(title)}</h3>{''.join(parts)}"


def listing(lines: Iterable[object], tag: str = "ul") -> str:
    """Return an HTML list of lines; ``ol`` numbers them."""
    return f"<{tag}>{''.join(f'<li>{escape(str(line))}</li>' for line in lines)}</{tag}>"


def _cell(value: Any) -> str:
    if value is None:
        return "<td></td>"
    if isinstance(value, bool):
        return f"<td>{'yes' if value else 'no'}</td>"
    if isinstance(value, int):
        return f"<td>{value:,}</td>"
    try:
        return f"<td>{float(value):,.4g}</td>"
    except (TypeError, ValueError):
        return f"<td>{escape(str(value))}</td>"
