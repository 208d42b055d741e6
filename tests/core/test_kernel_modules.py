"""Modules of kernels: how arguments lie in them, what they were made from, and when machine code takes their place."""

from __future__ import annotations

import ctypes
import io
import os
import shutil
import struct
import sys
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import typeof

from farkel.kernels import choosing, kept, native, shipped, texts
from farkel.kernels.arrays import CODES, Array, full, zeros
from farkel.kernels.blocks import Blocks, Layout, block
from farkel.kernels.images import image, kinds, nowhere
from farkel.kernels.native import viewed
from farkel.kernels.registry import SOLVE
from farkel.kernels.spaces import SETTING, Lease
from farkel.kernels.texts import Door, Text
from farkel.players import knowledge
from farkel.simulation import simulate
from farkel.solve.compiled_game import compile_board
from farkel.solve.last_turns import complete
from farkel.solve.solver import History, Solver, note_change
from named_rules import rules_of


class Few(NamedTuple):
    """Arguments that belong together."""

    numbers: Array[Any]
    one: float


class More(NamedTuple):
    """With the fields of `Few`: which of the two it is may choose what is compiled."""

    numbers: Array[Any]
    one: float


LAYOUT = Layout([("rows", "int16", (2, 3)), ("one", "float64")])
ARGUMENTS: tuple[Any, ...] = (
    None,
    True,
    3,
    -1,
    0.5,
    *(zeros(shape, kind) for kind in CODES for shape in (3, 4, (2, 3), (2, 3, 4))),
    (1, 2.0),
    (2, 3.0),
    (2, 3),
    (zeros(2), (1, None)),
    Few(zeros(3), 1.5),
    Few(zeros((3, 2)), 1.5),
    Few(zeros(4), 2),
    More(zeros(3), 1.5),
    block(LAYOUT),
    block(Layout([("one", "float64")])),
    Blocks(LAYOUT, 2),
)


# Arguments ------------------------------------------------------------------------------------------------------------


def test_arguments_are_of_one_kind_where_numba_makes_the_same_code_for_them() -> None:
    known = [(kinds((value,)), typeof(viewed(value))) for value in ARGUMENTS]
    for (one, its), (other, others) in product(known, known):
        assert (one == other) == (its == others), (one, its, other, others)


@pytest.mark.parametrize("shape", [(5,), (2, 3), (2, 3, 4), (0, 3)])
def test_an_array_lies_in_a_module_as_numba_passes_it(shape: tuple[int, ...]) -> None:
    for kind in CODES:
        given, seen = zeros(shape, kind), np.zeros(shape, kind)
        slots = image(given, lambda memory: 4096 + memory.nbytes).slots
        expected = 0, 0, seen.size, seen.itemsize, 4096 + seen.nbytes, *seen.shape
        assert struct.unpack(f"<{len(slots) // 8}q", slots)[: len(expected)] == expected
        if seen.size:
            assert struct.unpack(f"<{len(slots) // 8}q", slots)[len(expected) :] == seen.strides


def test_numbers_and_parts_lie_side_by_side() -> None:
    slots = image((1, (0.5, True), Few(zeros(1), -2.0), None), nowhere).slots
    assert slots[:24] == struct.pack("<qdq", 1, 0.5, 1)
    assert slots[24:-16] == image(zeros(1), nowhere).slots
    assert slots[-16:] == struct.pack("<dq", -2.0, 0)
    assert image(block(LAYOUT), lambda memory: memory.nbytes).slots == struct.pack("<q", LAYOUT.size)


def test_what_is_no_argument_is_refused() -> None:
    with pytest.raises(TypeError, match="no kernel takes 'three'"):
        kinds((1, ("three",)))


# What modules were made from ------------------------------------------------------------------------------------------


@pytest.fixture
def text() -> Text:
    doors = {"solve.one": {"i,d1": Door("one_0", "n"), "i,d2": Door("one_1", "d")}}
    return Text(kept.sources_digest(SOLVE), "0" * 64, 16, {"numba": "0.1"}, {"solve.one": ["count", "values"]}, doors)


def test_the_text_of_a_module_is_read_as_it_was_written(
    text: Text, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts, "FOLDER", tmp_path)
    assert texts.read_text("solve") is None
    texts.write_text(tmp_path, "solve", text)
    assert texts.read_text("solve") == text
    (tmp_path / "solve.json").write_text("{}")
    assert texts.read_text("solve") is None


def test_a_module_of_other_sources_or_of_none_is_stale(text: Text) -> None:
    assert not texts.is_stale(SOLVE, text)
    assert texts.is_stale(SOLVE, text._replace(sources="other"))
    assert texts.is_stale(SOLVE, None)


def test_a_module_that_is_stale_or_damaged_is_not_run(
    text: Text, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(texts.FOLDER / "solve.wasm", tmp_path)
    monkeypatch.setattr(texts, "FOLDER", tmp_path)
    for found, said in ((text._replace(sources="other"), "does not belong to these sources"), (text, "is damaged")):
        monkeypatch.setattr(texts, "read_text", lambda name, found=found: found)
        with pytest.raises(ValueError, match=said):
            texts.read_module.__wrapped__(SOLVE)


def test_where_farkel_is_compiled_its_modules_are_taken_as_they_are(
    text: Text, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts, "has_sources", lambda: False)
    assert not texts.is_stale(SOLVE, text._replace(sources="other"))
    assert texts.is_stale(SOLVE, None)


def solved(rules: str) -> Any:
    found = Solver(complete(compile_board(rules_of(rules))), threads=1)
    found.run()
    return found.values.own.tolist()


def test_kernels_that_make_more_than_there_is_room_for_get_more(monkeypatch: pytest.MonkeyPatch) -> None:
    instance, asked = shipped.ShippedSpace._instance, list[int]()

    class Full:
        """A module that is told that there is no room for arrays."""

        def __init__(self, doors: Any) -> None:
            self.doors = doors

        def __getitem__(self, door: str) -> Any:
            reset = door == "farkel_reset"
            return (lambda store, at, end: self.doors[door](store, at, at)) if reset else self.doors[door]

    def full(self: Any, group: Any) -> Any:
        self._exports[group.name] = Full(instance(self, group))
        return self._exports[group.name]

    def more(self: Any, size: int, given: Any = shipped.ShippedSpace._more) -> Any:
        asked.append(size)
        return given(self, size)

    monkeypatch.setenv(SETTING, "shipped")
    known = solved("build-on(target=500)")
    monkeypatch.setattr(shipped.ShippedSpace, "_instance", full)
    monkeypatch.setattr(shipped.ShippedSpace, "_more", more)
    assert solved("build-on(target=500)") == known
    assert asked


def test_there_are_four_gibibytes_at_most() -> None:
    space = shipped.ShippedSpace()
    before = space._memory.data_len(space._store)
    at = space._more(shipped.PAGE + 1)
    assert (at, space._memory.data_len(space._store)) == (before, before + 2 * shipped.PAGE)
    with pytest.raises(MemoryError, match="at most 4 GiB"):
        space._more(-1)


def test_what_was_placed_is_forgotten_with_its_owner_and_its_memory_is_used_again() -> None:
    space = shipped.ShippedSpace()
    lease = Lease(space)
    first = lease.place(Few(full(1000, 7.0), 1.5))
    at = ctypes.addressof(ctypes.c_ubyte.from_buffer(first.numbers.flat))
    assert space.is_placed(first)
    del lease
    assert not space.is_placed(first)
    del first
    again = space.zeros((1000,), "float64")
    assert ctypes.addressof(ctypes.c_ubyte.from_buffer(again.flat)) == at
    assert not again.any()


def test_zeros_are_zeros_where_arguments_of_a_call_have_been() -> None:
    space, ones = shipped.ShippedSpace(), full((4, 1000), 1.0)
    history = History(ones, full((4, 1000), 1.0), full(1000, 1.0))
    space.run(note_change, history, 1)
    assert not space.zeros((4000,), "float64").any()


def test_simulations_one_after_the_other_leave_nothing_in_the_space_of_a_solution(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(SETTING, "shipped")
    rules = rules_of("minimal(target=500)")
    monkeypatch.setattr(knowledge, "_duels", {})
    space: Any = knowledge.duel(rules).space
    placed = set[int]()
    for _ in range(3):
        simulate(rules, ("exact", "cautious"), 5, threads=1)
        placed.add(len(space._images))
    assert len(placed) == 1


def test_a_file_of_machine_code_takes_the_place_of_older_ones(tmp_path: Path) -> None:
    folder = tmp_path / "compiled"
    for number in range(kept.KEPT + 2):
        kept.replace(folder / f"module-solve-{number}.bin", b"%d" % number)
        os.utime(folder / f"module-solve-{number}.bin", (number, number))
    kept.replace(folder / "module-games-0.bin", b"")
    kept.replace(folder / "module-solve-1.bin", b"one")
    names = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert len([name for name in names if name.startswith("module-solve-")]) == kept.KEPT
    assert names["module-solve-1.bin"] == b"one"
    assert "module-games-0.bin" in names
    assert all(name.endswith(".bin") and not name.startswith(".") for name in names)


# Machine code in place of modules -------------------------------------------------------------------------------------


class Asked:
    """In place of the process that compiles: what it was asked for."""

    def __init__(self) -> None:
        self.made = set[choosing.Key]()
        self.asked: list[choosing.Key] = []

    def ask(self, key: choosing.Key, kernel: Any, given: Any) -> None:
        self.asked.append(key)


KEY = note_change.name, "kinds"


def test_machine_code_that_is_kept_is_used_when_loading_it_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = list[str]()

    def look(kernel: Any, given: Any) -> bool:
        looked.append(kernel.name)
        return True

    monkeypatch.setattr(choosing, "has_code", lambda kernel: True)
    monkeypatch.setattr(choosing, "_is_kept", look)
    monkeypatch.setattr(choosing, "sys", SimpleNamespace(modules={}))
    use = choosing.Use()
    assert not choosing._is_there(use, KEY, note_change, ())
    assert looked == []
    use.seconds = choosing.LOADS + 0.1
    assert choosing._is_there(use, KEY, note_change, ())
    assert looked == [note_change.name]
    monkeypatch.setattr(choosing, "sys", SimpleNamespace(modules={"numba": None}))
    assert choosing._is_there(choosing.Use(), KEY, note_change, ())  # Numba is there, and loading costs next to nothing


def test_what_takes_seconds_is_compiled_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere, there = Asked(), [False]
    monkeypatch.setattr(choosing, "has_code", lambda kernel: False)
    monkeypatch.setattr(choosing, "_is_kept", lambda kernel, given: there[0])
    monkeypatch.setattr(choosing, "background", lambda: elsewhere)
    use = choosing.Use()
    use.seconds = choosing.LOADS + 0.1
    assert not choosing._is_there(use, KEY, note_change, ())
    assert elsewhere.asked == []
    use.seconds = choosing.COMPILES + 0.1
    assert not choosing._is_there(use, KEY, note_change, ())
    assert elsewhere.asked == [KEY]
    elsewhere.made.add(KEY)
    there[0] = True
    assert choosing._is_there(use, KEY, note_change, ())
    assert elsewhere.made == set()


def history() -> History:
    return History(full((3, 4), 0.25), zeros((3, 4)), full(4, 0.75))


def lines_for(kernel: Any, given: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch) -> bytes:
    """What the process that compiles is told."""
    written, told = io.BytesIO(), list[str]()

    class Process:
        def __init__(self, command: list[str], **pipes: Any) -> None:
            told.extend(command)
            self.stdin, self.stdout = written, [b"0\n"]

    class AtOnce:
        def __init__(self, target: Any, daemon: bool) -> None:
            self.start = target

    background = choosing.Background()
    with monkeypatch.context() as patch:
        patch.setattr("farkel.kernels.choosing.subprocess.Popen", Process)
        patch.setattr("farkel.kernels.choosing.threading.Thread", AtOnce)
        # It is told what to compile after it has begun: here it answers before.
        background._asked.append(KEY)
        background.ask((kernel.name, "other kinds"), kernel, given)
        background.ask((kernel.name, "other kinds"), kernel, given)
    assert told == [sys.executable, "-P", "-m", choosing.__name__]
    assert background.made == {KEY}
    return written.getvalue()


def test_another_process_compiles_what_it_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given = history(), 1
    lines = lines_for(note_change, given, monkeypatch)
    assert lines.count(b"\n") == 1
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(lines)))
    choosing.main()
    assert capsys.readouterr().out == "0\n"
    assert native.is_kept(note_change, given)


def test_a_kernel_changes_its_form_in_the_middle_of_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    space, found = choosing.ChoosingSpace(), list[tuple[float, list[float]]]()
    monkeypatch.setattr(shipped.ShippedSpace, "run", lambda self, kernel, *given: kernel.plain(*given))
    for there in (False, True):
        monkeypatch.setattr(choosing, "_is_there", lambda *about, there=there: there)
        mine = space.place(history())
        found.append((space.run(note_change, mine, 1), mine.change[1].tolist()))
        space.drop(mine)
    assert found == [(0.5, [0.5] * 4)] * 2
