"""The arithmetic of the verdict on dice gives what SciPy gives."""

from __future__ import annotations

import pytest
from scipy import stats

from farkel.records.fairness import chi_square_above, judge


@pytest.mark.parametrize("x", [0.0, 1e-9, 0.3, 1.0, 4.351, 11.07, 20.5, 37.0, 300.0])
def test_chi_square_is_that_of_scipy(x: float) -> None:
    assert chi_square_above(x) == pytest.approx(stats.chi2.sf(x, 5), rel=1e-12)


@pytest.mark.parametrize(
    "faces", [(78, 80, 69, 83, 62, 94), (60, 75, 70, 74, 62, 125), (20_134, 19_955, 20_119, 1, 2, 3)]
)
def test_faces_are_tested_as_scipy_tests_them(faces: tuple[int, ...]) -> None:
    expected = stats.chisquare(faces)
    verdict = judge(dict(enumerate(faces, 1)))
    assert (verdict.chi_square, verdict.p) == pytest.approx((expected.statistic, expected.pvalue))
