"""The coach of a page in a worker of its own, under Node: what it solves is what is solved here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from farkel.players import knowledge
from farkel.web.coaching import calculations
from in_pyodide import given, needs_node, node
from named_rules import rules_of

NEAR = 1e-10


@needs_node
def test_the_coach_solves_is_stopped_and_solves_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = Path(__file__).with_name("coach_questions.py")
    found = json.loads(node("run_coach.mjs", given(tmp_path), script))
    monkeypatch.setattr(knowledge, "_duels", {})
    for name, rules in (("first", "minimal"), ("second", "minimal(target=3000)"), ("third", "minimal(target=3000)")):
        expected = calculations.value(rules_of(rules))
        ours = {word: found[name][word] for word in expected}
        assert ours.pop("residual") < NEAR
        expected.pop("residual")
        assert ours == pytest.approx(expected, abs=NEAR)
    assert found["shares"] == sorted(found["shares"])
    assert found["shares"][-1] > 0
    assert found["stopped"] == "stopped"
