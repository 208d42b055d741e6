"""Values from outside: strict models, and their faults in words for readers who have never heard of pydantic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict
from pydantic_core import PydanticCustomError

from farkel.support.bounds import MOST_QUOTED, clipped


def _not_truth(value: Any) -> Any:
    """Return a number as it came. JSON's true and false are none, though Python takes them for 1 and 0."""
    if isinstance(value, bool):
        raise PydanticCustomError("int_type", "not a number")
    return value


Whole = Annotated[int, BeforeValidator(_not_truth)]
"""A whole number from outside."""


class Strict(BaseModel):
    """Values from outside: frozen, and without unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


MOST_SAID = 5
"""Findings that one answer tells."""
REQUEST = "^[!-~]{8,64}$"
"""The name of a submission."""
NAME = "^[a-z0-9]{12}$"
"""The name of a game, a group or a webhook."""
TOKEN = "^[A-Za-z0-9_-]{16,64}$"  # noqa: S105
"""The token of a link."""
FORMS = {
    REQUEST: "must be 8 to 64 letters, digits and signs, without spaces",
    NAME: "must be the name of a game, 12 letters and digits",
    TOKEN: "must be the token of a link",
}
"""What regular expressions ask for."""
WORDS = {
    "missing": "is missing",
    "extra_forbidden": "is unknown; leave it out",
    "string_type": "must be text",
    "string_unicode": "must be text in UTF-8",
    "string_too_long": "must have at most {max_length} characters",
    "string_too_short": "must have {min_length} or more characters",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_parsing_size": "must be a whole number of a few digits",
    "int_from_float": "must be a whole number",
    "finite_number": "must be a whole number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "greater_than_equal": "must be {ge} or more",
    "less_than_equal": "must be {le} or less",
    "greater_than": "must be more than {gt}",
    "less_than": "must be less than {lt}",
    "too_long": "must have at most {max_length} entries",
    "too_short": "must have {min_length} or more entries",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "literal_error": "must be {expected}",
    "union_tag_invalid": "must have as {discriminator} one of {expected_tags}",
    "union_tag_not_found": "must say what it is in {discriminator}",
    "json_invalid": "must be JSON",
    "json_type": "must be JSON",
}
"""By pydantic's type of a finding; other findings are in pydantic's own words."""


def said(findings: Iterable[Mapping[str, Any]], whole: str = "the request") -> str:
    """Return a sentence for each of the first findings, without a final stop; ``whole`` names those without a field."""
    return "; ".join(_said(finding, whole) for finding, _ in zip(findings, range(MOST_SAID), strict=False))


def _said(finding: Mapping[str, Any], whole: str) -> str:
    where = clipped(".".join(str(step) for step in finding["loc"] if step not in ("body", "query", "path", "header")))
    name = f'"{where}"' if where else whole
    context: Mapping[str, Any] = finding.get("ctx", {})
    kind = finding["type"]
    if kind == "value_error":
        return f"{name}: {context['error']}"
    if kind == "string_pattern_mismatch":
        return f"{name} {FORMS.get(context['pattern'], 'is not written as it must be')}"
    words = WORDS.get(kind)
    if words is None:
        return f"{name}: {clipped(finding['msg'], 2 * MOST_QUOTED)}"
    return f"{name} {words.format_map(context)}"
