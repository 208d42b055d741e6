"""What taking over is worth is read as it was kept."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from farkel.kernels.arrays import array, zeros
from farkel.solve.takes import Places, Take, kept
from farkel.solve.turn_sweep import NEVER

PLACES = Places(zeros((1, 1), "int64"), zeros(1, "int64"))


@given(st.lists(st.booleans(), min_size=1, max_size=700))
def test_offers_that_are_taken_over_are_found_by_their_marks(marks: list[bool]) -> None:
    padded = marks + [False] * (-len(marks) % 8)
    octets = [sum(bit << number for number, bit in enumerate(padded[at : at + 8])) for at in range(0, len(padded), 8)]
    before = [sum(marks[: 8 * at]) for at in range(0, len(octets), 32)]
    values = [(place / 1024, 1 - place / 1024) for place, marked in enumerate(marks) if marked]
    take = Take(PLACES, array([*values, (0.0, 0.0)], "float32"), array(octets, "uint8"), array(before, "int64"))
    for place, marked in enumerate(marks):
        assert kept(take, place) == ((place / 1024, 1 - place / 1024) if marked else (NEVER, 0.0))


def test_without_marks_every_offer_is_kept_and_others_chances_may_be_the_rest() -> None:
    for values in ([(0.25,), (0.5,)], [(0.25, 0.75), (0.5, 0.5)]):
        take = Take(PLACES, array(values), zeros(0, "uint8"), zeros(0, "int64"))
        assert [kept(take, place) for place in range(2)] == [(0.25, 0.75), (0.5, 0.5)]
