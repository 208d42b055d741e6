"""The catalogue's rule sets, written down in golden files. `make_golden.py` writes them again."""

from __future__ import annotations

import pytest

from farkel.rules import names
from make_golden import FILES, GOLDEN
from named_rules import rules_of

REMEDY = "if the change is meant, run `python tests/make_golden.py` and look at what changed"


def test_every_rule_set_owns_its_golden_files_and_no_other_does() -> None:
    assert {folder.name for folder in GOLDEN.iterdir()} == set(names())
    assert [name for name in names() for file in FILES if not (GOLDEN / name / file).is_file()] == [], REMEDY


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("name", names())
def test_golden_files(name: str, file: str) -> None:
    golden = (GOLDEN / name / file).read_text("utf-8").splitlines()
    made = FILES[file](rules_of(name)).splitlines()
    changes = [(old, new) for old, new in zip(golden, made, strict=False) if old != new]
    assert changes == [], REMEDY
    assert len(golden) == len(made), REMEDY
