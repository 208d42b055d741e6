"""The arithmetic of the tests of dice gives what SciPy gives."""

from __future__ import annotations

import pytest
from scipy import stats

from farkel.fairness import (
    Tally,
    arena_throws,
    chi_square_above,
    chi_square_below,
    farkle_table,
    findings,
    normal_beyond,
)
from farkel.rules import load


@pytest.mark.parametrize("degrees", [1, 2, 3, 5, 10, 30, 100, 461, 2000])
def test_chi_square_is_that_of_scipy(degrees: int) -> None:
    for x in (degrees * share for share in (0.01, 0.3, 0.99, 1.0, 1.1, 2.0, 5.0)):
        assert chi_square_above(x, degrees) == pytest.approx(stats.chi2.sf(x, degrees), rel=1e-8)
        assert chi_square_below(x, degrees) == pytest.approx(stats.chi2.cdf(x, degrees), rel=1e-8)
    assert (chi_square_above(0, degrees), chi_square_below(0, degrees)) == (1, 0)


@pytest.mark.parametrize("z", [-5.0, -0.3, 0.0, 1.0, 1.959963984540054, 8.0, 30.0])
def test_the_normal_distribution_is_that_of_scipy(z: float) -> None:
    assert normal_beyond(z) == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-10)


def test_faces_are_tested_as_scipy_tests_them() -> None:
    tally = Tally().after(farkle_table(load("minimal")).judge(next(arena_throws(7, 20_000, 6))))
    (faces,) = (one for one in findings(tally) if one.name == "faces")
    expected = stats.chisquare(tally.faces)
    assert (faces.statistic, faces.p) == pytest.approx((expected.statistic, expected.pvalue))
