"""A newcomer's first hour in the terminal, as it is written down: ``python tests/make_newcomers_hour.py`` does that."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from contextlib import suppress

import pytest

from newcomers_hour import SIZES, Shown, Terminal, an_hour, transcript
from serving import patiently

pytestmark = pytest.mark.slow


def kept(size: tuple[int, int]) -> Iterator[Shown]:
    """The steps as the transcript has them."""
    for step in transcript(size).read_text(encoding="utf-8").removeprefix("=== ").split("\n=== "):
        typed, *lines = step.rstrip("\n").split("\n")
        yield Shown(typed, tuple(lines))


@pytest.mark.parametrize("size", SIZES, ids=lambda size: "{}x{}".format(*size))
def test_each_step_shows_what_is_written_down(size: tuple[int, int]) -> None:
    steps = kept(size)

    def answered(terminal: Terminal, shows: str) -> None:
        """Wait until the screen is as the transcript has it after this step."""
        wanted = next(steps).lines
        with suppress(AssertionError):
            for _ in patiently():
                if terminal.lines() == wanted:
                    return
                if not terminal.read(1.0) and not terminal.runs():
                    break
        pytest.fail(f"{shows}:\n" + "\n".join(difflib.ndiff(wanted, terminal.lines())))

    found = [shown.typed for shown in an_hour(size, answered)]
    assert found == [step.typed for step in kept(size)]


@pytest.mark.parametrize("size", SIZES, ids=lambda size: "{}x{}".format(*size))
def test_nothing_is_wider_or_longer_than_the_screen_and_nothing_is_cut(size: tuple[int, int]) -> None:
    for step in kept(size):
        assert len(step.lines) <= size[1]
        assert all(len(line) <= size[0] for line in step.lines)
        assert "…" not in "\n".join(step.lines), step.typed
