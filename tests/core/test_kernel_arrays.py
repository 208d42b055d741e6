"""What kernels are given: arrays, blocks and numbers of a certain width, with NumPy as the oracle."""

from __future__ import annotations

import gc
import operator
import pickle
from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from farkel.kernels import words
from farkel.kernels.arrays import CODES, Array, array, full, over, shaped, zeros
from farkel.kernels.blocks import Block, Blocks, Layout, block
from farkel.kernels.native import NativeSpace, viewed
from farkel.kernels.shipped import ShippedSpace
from farkel.kernels.spaces import PlainSpace, Space
from farkel.kernels.words import int64, uint32, uint64
from kernel_games import SPACES, kernel

KINDS = sorted(CODES)
SHAPES = st.lists(st.integers(0, 4), min_size=1, max_size=3).map(tuple)


def values(kind: str) -> st.SearchStrategy[Any]:
    """Numbers of a kind, its least and its largest among them."""
    if kind == "bool":
        return st.booleans()
    if kind.startswith("float"):
        return st.floats(allow_nan=False, width=32 if kind == "float32" else 64)
    known = np.iinfo(kind)
    return st.integers(int(known.min), int(known.max))


def drawn(data: st.DataObject, kind: str, shape: tuple[int, ...]) -> tuple[Array[Any], np.ndarray]:
    """An array, and the same numbers as NumPy has them, in memory of their own."""
    numbers = data.draw(st.lists(values(kind), min_size=prod(shape), max_size=prod(shape)))
    return shaped(numbers, shape, kind), np.array(numbers, kind).reshape(shape)


def some_array(data: st.DataObject) -> tuple[Array[Any], np.ndarray]:
    return drawn(data, data.draw(st.sampled_from(KINDS)), data.draw(SHAPES))


def some_index(data: st.DataObject, shape: tuple[int, ...]) -> Any:
    """Whole numbers from the first dimension on, and perhaps a slice after them."""
    depth = data.draw(st.integers(0, len(shape)))
    index: list[Any] = []
    for length in shape[:depth]:
        if not length:
            break
        index.append(data.draw(st.integers(-length, length - 1)))
    if not index or (len(index) < len(shape) and data.draw(st.booleans())):
        ends = st.none() | st.integers(-6, 6)
        index.append(slice(data.draw(ends), data.draw(ends)))
    return tuple(index) if len(index) > 1 or data.draw(st.booleans()) else index[0]


def same(found: Any, expected: Any) -> None:
    """Check that numbers, shape and kind are those of NumPy."""
    if isinstance(found, Array):
        assert found.shape == expected.shape
        assert found.kind == expected.dtype.name
        assert found.tolist() == expected.tolist()
        assert found.tobytes() == expected.tobytes()
    else:
        assert not getattr(expected, "shape", ())
        assert found == expected.item()
        assert type(found) is type(expected.item())


# Arrays ---------------------------------------------------------------------------------------------------------------


@given(st.data())
def test_an_array_is_what_numpy_makes_of_the_same_numbers(data: st.DataObject) -> None:
    ours, theirs = some_array(data)
    same(ours, theirs)
    same(array(theirs.tolist(), ours.kind) if theirs.size else ours, theirs)
    assert (ours.size, ours.ndim, len(ours)) == (theirs.size, theirs.ndim, len(theirs))
    assert ours.any() == theirs.any()
    for one, other in zip(ours, theirs, strict=True):
        same(one, other)
    if ours.size:
        assert ours.max() == theirs.max()
    if not ours.kind.startswith("float"):
        assert ours.sum() == sum(theirs.flatten().tolist())


@given(st.data())
def test_an_index_gives_what_it_gives_in_numpy(data: st.DataObject) -> None:
    ours, theirs = some_array(data)
    at = some_index(data, ours.shape)
    same(ours[at], theirs[at])


@given(st.data())
def test_an_assignment_changes_what_it_changes_in_numpy(data: st.DataObject) -> None:
    ours, theirs = some_array(data)
    at = data.draw(st.just(Ellipsis)) if data.draw(st.booleans()) else some_index(data, ours.shape)
    shape = np.shape(theirs[at])
    if not shape or data.draw(st.booleans()):
        ours[at] = theirs[at] = data.draw(values(ours.kind))
    elif len(shape) == 1 and data.draw(st.booleans()):
        ours[at] = theirs[at] = data.draw(st.lists(values(ours.kind), min_size=shape[0], max_size=shape[0]))
    else:
        ours[at], theirs[at] = drawn(data, ours.kind, shape)
    same(ours, theirs)


@given(st.data())
def test_parts_lie_where_the_whole_lies(data: st.DataObject) -> None:
    ours, theirs = some_array(data)
    at = some_index(data, ours.shape)
    part = ours[at]
    if isinstance(part, Array) and part.size:
        part.flat[0] = part.flat[-1]
        np.ravel(theirs[at])[0] = theirs[at].flat[-1]  # a view, as are all parts here
        same(ours, theirs)


def test_an_assignment_from_the_array_itself() -> None:
    ours, theirs = array(range(8), "int64"), np.arange(8)
    ours[1:] = ours[:-1]
    theirs[1:] = theirs[:-1]
    same(ours, theirs)


@given(st.data())
def test_another_shape_is_a_view_and_a_copy_is_not(data: st.DataObject) -> None:
    ours, theirs = some_array(data)
    shape = data.draw(st.permutations(ours.shape))
    view, copied = ours.reshape(*shape), ours.copy()
    same(view, theirs.reshape(shape))
    same(copied, theirs)
    if ours.size:
        ours.flat[0] = one = not ours.flat[0] if ours.kind == "bool" else 0 if ours.flat[0] else 1
        assert view.flat[0] == one
        same(copied, theirs)


@given(st.data())
def test_numpy_reads_and_writes_the_memory_of_an_array(data: st.DataObject) -> None:
    ours, theirs = some_array(data)
    seen = np.asarray(ours)
    assert (seen.dtype, seen.shape) == (theirs.dtype, theirs.shape)
    assert np.array_equal(seen, theirs)
    other = drawn(data, ours.kind, ours.shape)[1]
    seen[...] = other
    same(ours, other)
    assert np.shares_memory(np.array(ours, copy=None), seen) == (ours.size > 0)
    assert not np.shares_memory(np.array(ours), seen)
    assert np.asarray(ours, np.float64).dtype == np.float64


@given(st.data())
def test_an_array_over_one_of_numpy_lies_where_that_lies(data: st.DataObject) -> None:
    theirs = some_array(data)[1]
    ours = over(theirs)
    same(ours, theirs)
    if ours.size:
        ours.flat[0] = ours.flat[-1]
        same(ours, theirs)


def test_an_array_over_numbers_that_do_not_lie_side_by_side_is_refused() -> None:
    with pytest.raises(TypeError):
        over(np.zeros((4, 4))[:, 1])


@given(st.data())
def test_another_process_gets_the_same_array(data: st.DataObject) -> None:
    ours, theirs = some_array(data)
    restored = pickle.loads(pickle.dumps(ours))
    same(restored, theirs)
    restored[...] = 0
    same(ours, theirs)


@pytest.mark.parametrize("kind", KINDS)
def test_zeros_and_full_arrays(kind: str) -> None:
    same(zeros((2, 3), kind), np.zeros((2, 3), kind))
    same(zeros(5, kind), np.zeros(5, kind))
    same(full((2, 0), 1, kind), np.full((2, 0), 1, kind))
    same(full((2, 2), 1, kind), np.full((2, 2), 1, kind))
    assert repr(zeros((2, 3), kind)) == f"<{kind} (2, 3)>"


def test_numbers_become_the_kind_of_the_array() -> None:
    same(array([1.9, -1.9], "int64"), np.array([1.9, -1.9]).astype("int64"))
    same(array([0, 2, -1], "bool"), np.array([0, 2, -1]).astype("bool"))
    same(array([[1, 2], [3, 4]]), np.array([[1.0, 2.0], [3.0, 4.0]]))
    same(array([array([1, 2]), array([3, 4])]), np.array([[1.0, 2.0], [3.0, 4.0]]))
    same(array((number * number for number in range(4)), "uint8"), np.array([0, 1, 4, 9], "uint8"))
    for number, kind in ((256, "uint8"), (-1, "uint64"), (1 << 63, "int64")):
        with pytest.raises(OverflowError):
            array([number], kind)


def assigned(ours: Array[Any], at: Any, value: Any) -> None:
    ours[at] = value


OURS = array([[1, 2, 3], [4, 5, 6]], "int64")


@pytest.mark.parametrize(
    ("work", "error", "said"),
    [
        (lambda: OURS[2], IndexError, "2 is none of 2"),
        (lambda: OURS[1, -4], IndexError, "-4 is none of 3"),
        (lambda: OURS[0, 0, 0], IndexError, "out of range"),
        (lambda: OURS[::2], IndexError, "only the last index may be a slice, and has no steps"),
        (lambda: OURS[:, 1], IndexError, "only the last index may be a slice, and has no steps"),
        (lambda: OURS[(slice(1),) * 2], IndexError, "only the last index may be a slice, and has no steps"),
        (lambda: OURS[..., 1], TypeError, "ellipsis"),
        (lambda: OURS.reshape(4, 2), ValueError, r"6 numbers have no shape \(4, 2\)"),
        (lambda: shaped([1, 2], (3,)), ValueError, r"2 numbers have no shape \(3,\)"),
        (lambda: array([[1, 2], [3]]), ValueError, r"3 numbers have no shape \(2, 2\)"),
        (lambda: assigned(OURS, 0, array([1, 2], "int64")), ValueError, r"shape \(3,\) takes none of shape \(2,\)"),
        (lambda: assigned(OURS, 0, array([1, 2, 3])), ValueError, "different structures"),
        (lambda: assigned(OURS, 0, [1, 2]), ValueError, "different structures"),
        (lambda: assigned(OURS, (0, 0), 0.5), TypeError, "invalid type"),
        (lambda: zeros(0).max(), ValueError, "empty"),
        (lambda: zeros(1, "complex128"), KeyError, "complex128"),
    ],
)
def test_what_an_array_has_not_is_refused(work: Callable[[], Any], error: type[Exception], said: str) -> None:
    before = OURS.tolist()
    with pytest.raises(error, match=said):
        work()
    assert OURS.tolist() == before


# Blocks ---------------------------------------------------------------------------------------------------------------

Fields = list[tuple[Any, ...]]


@st.composite
def fields(draw: st.DrawFn, deep: bool = True) -> Fields:
    """Fields of a block: the name, the kind or the fields of a block, and the shape of an array."""
    found: Fields = []
    for number in range(draw(st.integers(1, 5))):
        name = f"field_{number}"
        if deep and draw(st.integers(0, 4)) == 0:
            found.append((name, draw(fields(deep=False))))
        else:
            shape = draw(st.none() | st.lists(st.integers(1, 3), min_size=1, max_size=2).map(tuple))
            found.append((name, draw(st.sampled_from(KINDS)), *([shape] if shape else [])))
    return found


def layout_of(known: Fields) -> Layout:
    return Layout([(name, layout_of(kind) if isinstance(kind, list) else kind, *rest) for name, kind, *rest in known])


def dtype_of(known: Fields) -> np.dtype[Any]:
    """As C lays fields out."""
    return np.dtype(
        [(name, dtype_of(kind) if isinstance(kind, list) else kind, *rest) for name, kind, *rest in known], align=True
    )


@given(fields())
def test_a_block_is_laid_out_as_numpy_aligns_it(known: Fields) -> None:
    ours, theirs = layout_of(known), dtype_of(known)
    assert (ours.size, ours.align) == (theirs.itemsize, theirs.alignment)
    assert theirs.fields is not None
    assert {name: field.offset for name, field in ours.fields.items()} == {
        name: offset for name, (_, offset, *_) in theirs.fields.items()
    }


def fill(data: st.DataObject, known: Fields, ours: Block, theirs: Any) -> None:
    """Write numbers into both."""
    for name, kind, *rest in known:
        if isinstance(kind, list):
            fill(data, kind, getattr(ours, name), theirs[name])
        elif rest:
            numbers = data.draw(st.lists(values(kind), max_size=prod(rest[0])))
            setattr(ours, name, numbers)
            theirs[name].reshape(-1)[: len(numbers)] = numbers
        else:
            number = data.draw(values(kind))
            setattr(ours, name, number)
            theirs[name] = number


def check(known: Fields, ours: Block, theirs: Any) -> None:
    for name, kind, *_ in known:
        if isinstance(kind, list):
            check(kind, getattr(ours, name), theirs[name])
        else:
            same(getattr(ours, name), theirs[name])


@given(st.data(), fields())
def test_fields_of_blocks_are_where_numpy_finds_them(data: st.DataObject, known: Fields) -> None:
    ours = Blocks(layout_of(known), data.draw(st.integers(1, 3)))
    theirs = np.zeros(len(ours), dtype_of(known))
    for number, one in enumerate(ours):
        fill(data, known, one, theirs[number])
    assert ours.memory.tobytes() == theirs.tobytes()
    for number in range(len(ours)):
        check(known, ours[number], theirs[number])
        check(known, ours[number], viewed(ours)[number])
    last = ours[len(ours) - 1]
    other = np.zeros(1, dtype_of(known))[0]
    fill(data, known, last, other)
    check(known, last, viewed(last))  # machine code sees what has changed


def test_a_part_of_a_block_lies_within_it() -> None:
    ours = block(Layout([("inner", Layout([("rows", "int16", (2, 2)), ("one", "float64")])), ("last", "bool")]))
    ours.inner.rows[1, 0] = 7
    ours.inner.one = 0.5
    ours.last = True
    assert ours.inner.rows.tolist() == [[0, 0], [7, 0]]
    assert (ours.inner.one, ours.last) == (0.5, True)
    assert ours.memory.nbytes == ours.layout.size == 24


def test_what_a_block_has_not_is_refused() -> None:
    ours = Blocks(Layout([("few", "int8", (2,)), ("one", "int8")]), 2)
    with pytest.raises(AttributeError, match="many"):
        _ = ours[0].many
    with pytest.raises(ValueError, match="different structures"):
        ours[0].few = [1, 2, 3]
    with pytest.raises(OverflowError):
        ours[0].few = [128]
    with pytest.raises(ValueError, match="invalid value"):
        ours[0].one = 128
    for at in (-1, 2):
        with pytest.raises(IndexError):
            ours[at]
    assert not any(ours.memory)


# Where they lie -------------------------------------------------------------------------------------------------------


class Pair(NamedTuple):
    """What is placed together."""

    one: Array[Any]
    inner: tuple[Any, ...]
    block: Block
    number: float


@pytest.mark.parametrize("form", [PlainSpace, NativeSpace, ShippedSpace])
def test_what_is_placed_keeps_its_numbers_and_outlives_its_space(form: Callable[[], Space]) -> None:
    space, one = form(), array([[1, 2], [3, 4]], "int16")
    given = block(Layout([("few", "uint32", (3,)), ("real", "float64")]))
    given.few, given.real = [5, 6], 0.5
    placed = space.place(Pair(one, (one, zeros(0), True), given, 1.5))
    row = space.zeros((2, 3), "float64")[1]
    del space
    gc.collect()
    others = [form().place(full(100, 9, "int64")) for _ in range(9)]  # in whatever memory is free by now
    assert (type(placed), placed.number, placed.inner[2]) == (Pair, 1.5, True)
    same(placed.one, np.array([[1, 2], [3, 4]], "int16"))
    same(placed.inner[1], np.zeros(0))
    assert (placed.block.few.tolist(), placed.block.real) == ([5, 6, 0], 0.5)
    placed.one[0, 0] = 7
    assert placed.inner[0][0, 0] == 7  # what is one array remains one
    same(row, np.zeros(3))
    assert all(each.tolist() == [9] * 100 for each in others)


@pytest.mark.parametrize("form", [PlainSpace, NativeSpace, ShippedSpace])
def test_zeros_are_zeros_where_something_else_was(form: Callable[[], Space]) -> None:
    space = form()
    for _ in range(3):
        found = space.zeros((4, 5), "int32")
        assert not found.any()
        found[...] = 3
        placed = space.place((found,))
        space.drop(placed)
        assert placed[0].tolist() == [[3] * 5] * 4
        del found, placed
        gc.collect()


# Numbers of a certain width -------------------------------------------------------------------------------------------

WHOLE = st.integers(-(2**63), 2**63 - 1)
WIDE = st.integers(-(2**130), 2**130)


@given(WIDE)
def test_words_keep_the_bits_that_they_have_room_for(number: int) -> None:
    for word, bits, signed in ((uint64, 64, False), (uint32, 32, False), (int64, 64, True)):
        content = (number % 2**bits).to_bytes(bits // 8, "little")
        kind = f"<{'i' if signed else 'u'}{bits // 8}"
        assert word(number) == np.frombuffer(content, kind)[0]


@given(WHOLE)
def test_words_cast_as_numpy_does(whole: int) -> None:
    assert uint64(whole) == np.array(whole, np.int64).astype(np.uint64)
    assert uint32(whole) == np.array(whole, np.int64).astype(np.uint32)
    assert int64(uint64(whole)) == np.array(uint64(whole), np.uint64).astype(np.int64) == whole


@pytest.mark.parametrize("work", [operator.add, operator.sub, operator.mul], ids=lambda work: work.__name__)
@given(WHOLE, WHOLE)
def test_results_wrap_as_in_numpy(work: Callable[[Any, Any], Any], one: int, other: int) -> None:
    for word, kind in ((uint64, np.uint64), (int64, np.int64)):
        with np.errstate(over="ignore"):
            expected = work(np.array([word(one)], kind), np.array([word(other)], kind))[0]
        assert word(work(word(one), word(other))) == expected
    small = np.array([uint32(one)], np.uint32), np.array([uint32(other)], np.uint32)
    assert uint32(work(uint32(one), uint32(other))) == work(*small)[0]


@kernel
def wrapped(one: int, other: int, found: Array[int]) -> int:
    """Write what wraps, and return what has no sign."""
    found[0] = int64(uint64(one) + uint64(other))
    found[1] = int64(uint64(one) * uint64(other))
    found[2] = int64(uint32(one))
    found[3] = int64(uint64(one) >> uint64(7))
    return uint64(one)


@pytest.mark.parametrize("space", SPACES)
@given(WHOLE, WHOLE)
def test_words_mean_the_same_in_every_form(space: Space, one: int, other: int) -> None:
    found = zeros(4, "int64")
    assert space.run(wrapped, one, other, found) == one % 2**64
    expected = one + other, one * other, one % 2**32, (one % 2**64) >> 7
    assert found.tolist() == [int64(number) for number in expected]


@kernel
def worked(size: int) -> float:
    """Use room of all kinds."""
    some, rows, whole = words.reals(size), words.real_rows(size, 2), words.whole_rows(2, size)
    found = some.size + rows.shape[0] + whole.shape[1]
    for place in range(size):
        found += some[place] + rows[place, 1] + whole[1, place]
        some[place], rows[place, 0], whole[0, place] = 0.5, 0.25, 2
        found += some[place] + rows[place, 0] + whole[0, place]
    return found


@pytest.mark.parametrize("space", SPACES)
def test_room_to_work_in_is_empty_and_of_its_kind(space: Space) -> None:
    for _ in range(2):
        assert space.run(worked, 3) == 9 + 3 * (0.5 + 0.25 + 2)
