"""The style sheet: every pair of colours that text and controls are made of has enough contrast, light and dark."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

STATIC = Path(__file__).parents[2] / "src/farkel/web/static"
TOKENS = (STATIC / "tokens.css").read_text(encoding="utf-8")
TEXT = [
    *[(ink, paper) for ink in ("ink", "soft", "link", "alarm", "good") for paper in ("ground", "card")],
    ("ink", "sunk"),
    ("link", "sunk"),
    ("alarm", "alarm-paper"),
    *[(ink, felt) for ink in ("on-felt", "soft-felt") for felt in ("felt", "felt-lo", "felt-lost", "felt-lost-lo")],
    ("on-roll", "roll"),
    ("on-bank", "bank"),
    ("on-band", "band"),
    ("pip", "ivory"),
    ("pip", "dull"),
]
"""Pairs that are read: 4.5 at least."""
SHAPES = [
    *[(f"s{seat}", "card") for seat in range(4)],
    ("edge", "card"),
    ("strike", "felt-lost"),
    ("roll", "felt"),
    ("roll", "felt-lo"),
    ("ivory", "felt"),
]
"""Pairs that only have to be seen: 3 at least."""


def colours(scheme: int) -> dict[str, str]:
    """The colours of the light scheme (0) or of the dark one (1), by their tokens."""
    return {
        name: both[scheme] or both[0]
        for name, *both in re.findall(r"--([\w-]+): (?:light-dark\()?(#\w{6})(?:, (#\w{6})\))?;", TOKENS)
    }


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_the_ratio_is_that_of_the_guidelines() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_text_and_shapes_have_enough_contrast(scheme: int) -> None:
    found = colours(scheme)
    faint = {
        pair: round(ratio, 2)
        for pairs, least in ((TEXT, 4.5), (SHAPES, 3.0))
        for pair in pairs
        if (ratio := contrast(found[pair[0]], found[pair[1]])) < least
    }
    assert faint == {}


def test_colours_are_named_in_one_place_only() -> None:
    sheets = [path for path in STATIC.glob("*.css") if path.name != "tokens.css"]
    literal = {
        path.name: re.findall(r"#[0-9a-f]{3,8}\b(?=[ ;,)])", path.read_text(encoding="utf-8")) for path in sheets
    }
    assert {name: found for name, found in literal.items() if found} == {
        "rules.css": ["#fff", "#fff", "#000", "#333", "#bbb"]
    }


def test_every_token_that_is_used_exists() -> None:
    used = {name for path in STATIC.glob("*.css") for name in re.findall(r"var\(--([\w-]+)\)", path.read_text())}
    local = {name for path in STATIC.glob("*.css") for name in re.findall(r"--([\w-]+):", path.read_text())}
    assert used - local == set()
