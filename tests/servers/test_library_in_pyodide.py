"""The library's own tests in the Python that pages have: 3.14, with the shipped kernels, and without threads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from in_pyodide import HERE, given, hypothesis, needs_node, node, packages

CORE = HERE / "core"
FEW = (
    "bounds",
    "clauses_banking",
    "clauses_common",
    "clauses_ends",
    "doubts",
    "notes",
    "record",
    "solved",
    "takes",
    "words",
)
"""What is tried each time: the law, and records."""


def all_of(kind: str) -> str:
    """Files of tests whose names begin alike."""
    return " ".join(path.stem.removeprefix("test_") for path in CORE.glob(f"test_{kind}*.py"))


LEFT_OUT = {
    "NumPy and Numba are not in pages, nor is what is checked by them": (
        "advice chart clauses_completing clauses_effects clauses_sets clauses_tries dice_and_seats ends_of_turns "
        "fairness kernel_arrays kernel_forms kernel_modules kernels new_word nothing_ignored reference review "
        "simulation solve solve_reference streams three_seats training_vector"
    ),
    "there is no terminal": (
        "app app_around app_hints app_keys app_watch card cli drawing games_command help hints learn_commands naming "
        "own_players saved_games simulate_command terminal texts tournament"
    ),
    "there are no servers, and pages have tests of their own": f"formats kept_pages {all_of('page_')} {all_of('web_')}",
    "there are no threads and processes, and only the files of the program": (
        "base_install ci_reruns extras home layout light simulation_players skill system systemd"
    ),
}
"""Files of tests, by why they are not run there."""
DESELECTED = {
    "NumPy and Numba are not in pages": (
        "best_play.py::test_a_game_that_a_player_cannot_play_is_not_set_up",
        "best_play.py::test_without_numpy_and_numba_an_exact_game_of_three_names_the_extra",
    ),
    "there are no other processes, no limits on them and no devices": (
        "best_play.py::test_bots_and_their_names_are_light_to_import",
        "bounds.py::test_a_file_without_an_end_is_read_no_further",
        "bounds.py::test_attacks_on_the_parsers_end_quickly",
        "record.py::test_an_unstored_event_has_not_happened",
        "record.py::test_two_programs_cannot_play_the_same_game",
        "record.py::test_killed_at_any_moment_nothing_that_was_shown_is_lost",
    ),
    "it takes minutes there": ("policy.py::test_a_match_of_two_policies_agrees_with_the_engine",),
    "the documentation is not there": ("solved.py::test_the_page_agrees_with_the_commands",),
}
"""Single tests of the others."""
INI = """[pytest]
markers =
  slow
  full
  core
  postgresql
"""
REST = sorted(
    {path.stem.removeprefix("test_") for path in CORE.glob("test_*.py")} - {*FEW, *" ".join(LEFT_OUT.values()).split()}
)
PARTS = 4
"""Runs of about the same length, for machines with several cores."""


def check(names: list[str], folder: Path) -> None:
    """Run files of tests."""
    for name in ("packages", "ini"):
        (folder / name).mkdir()
    (folder / "ini" / "pytest.ini").write_text(INI)
    options = ["-c", "/ini/pytest.ini", "--rootdir=/tests", "-p", "no:cacheprovider", "-q", "--tb=short"]
    words = folder / "words.json"
    options += ["-m", "not slow and not full"]
    options += [f"--deselect=core/test_{test}" for tests in DESELECTED.values() for test in tests]
    words.write_text(json.dumps([*options, *(f"/tests/core/test_{name}.py" for name in names)]))
    seen = given(folder, hypothesis(), tests=HERE, packages=packages(folder / "packages"), ini=folder / "ini")
    assert " passed" in node("run_tests.mjs", seen, words)


@needs_node
def test_the_law_and_records_in_the_python_of_pages(tmp_path: Path) -> None:
    check(list(FEW), tmp_path)


@needs_node
@pytest.mark.full
@pytest.mark.parametrize("part", range(PARTS))
def test_the_library_in_the_python_of_pages(part: int, tmp_path: Path) -> None:
    check(REST[part::PARTS], tmp_path)


def test_what_is_left_out_is_there() -> None:
    assert not [name for name in " ".join(LEFT_OUT.values()).split() if not (CORE / f"test_{name}.py").exists()]
