"""The one loop that everything exact rests on: the values of a turn, from its highest turn total down to nothing.

Eight positions (*lanes*) are solved side by side, one in each place of a vector register. A row belongs to one turn
total. Values come in two shapes: one number per position, or two in games that may end without a winner: what the seat
that decides maximises (its own chance, less `TIE` times the other's), and the other seat's chance.
"""

from __future__ import annotations

from typing import NamedTuple

from farkel.kernels.arrays import Indices, Values
from farkel.kernels.registry import FAST, SOLVE, parts
from farkel.kernels.words import uint64
from farkel.solve.compiled_turn import BANK, FREE, LOST, MUST, Brief, TurnArrays

compiled = SOLVE
# Counting references costs more than the work itself: only those do so that make arrays, return parts of arrays, or are
# given such.
part, inlined = parts(fastmath=FAST, _nrt=False), parts(fastmath=FAST, _nrt=False, forceinline=True)
making = parts(fastmath=FAST, _nrt=True)

LANES = 8
Lanes = tuple[float, ...]
"""A value in each lane."""
Index = int
Farkles = tuple[Indices, Values, Indices]
"""`TurnArrays.farkle_first`, ``farkle_weight`` and ``farkle_kind``."""
Classes = tuple[Indices, Values, Indices]
"""`TurnArrays.class_counts`, ``weight`` and ``refs``, or those of a `Brief`."""
NEVER = -1e9
"""The value of an illegal action."""
# Half of it, as fines are taken off `NEVER` as off any other value.
FORBIDDEN = NEVER / 2

ZERO = (0.0,) * LANES
UNKNOWN = (2.0,) * LANES
"""A bound of values that are chances."""
TIE = 1e-12
"""The weight of the other seat's chance beside one's own: of equal chances the best leaves the other least."""


class Work(NamedTuple):
    """Space to work in, one for each thread: rows of eight lanes. The arrays ending in ``_u`` are the other seat's."""

    bank: Values
    """[turn total * offers + dice left on offer]: of banking it."""
    bank_u: Values
    farkle: Values
    """[(turn total if farkles leave something, else 0) * farkles + kind]"""
    farkle_u: Values
    landing: Values
    """[turn total * landings + landing], for each sum of fines."""
    landing_u: Values
    rolling: Values
    """[turn total * rollings + rolling]"""
    rolling_u: Values
    node: Values
    node_u: Values


class PairWork(Work):
    """Space for values that are pairs."""


@inlined
def load(rows: Values, row: Index) -> Lanes:
    """Return the eight lanes of a row."""
    # Written out, as machine code makes no tuple in a loop; LLVM turns such neighbours into vectors.
    return (
        rows[row, 0],
        rows[row, 1],
        rows[row, 2],
        rows[row, 3],
        rows[row, 4],
        rows[row, 5],
        rows[row, 6],
        rows[row, 7],
    )


@inlined
def store(rows: Values, row: Index, x: Lanes) -> None:
    """Write eight lanes."""
    rows[row, 0], rows[row, 1], rows[row, 2], rows[row, 3] = x[0], x[1], x[2], x[3]
    rows[row, 4], rows[row, 5], rows[row, 6], rows[row, 7] = x[4], x[5], x[6], x[7]


@inlined
def _max(x: float, y: float) -> float:
    return max(y, x)


@inlined
def larger(x: Lanes, y: Lanes) -> Lanes:
    """Return the larger of two values in each lane."""
    return (
        _max(x[0], y[0]),
        _max(x[1], y[1]),
        _max(x[2], y[2]),
        _max(x[3], y[3]),
        _max(x[4], y[4]),
        _max(x[5], y[5]),
        _max(x[6], y[6]),
        _max(x[7], y[7]),
    )


@inlined
def plus(a: Lanes, w: float, x: Lanes) -> Lanes:
    """Sum of a and w * x in each lane."""
    return (
        a[0] + w * x[0],
        a[1] + w * x[1],
        a[2] + w * x[2],
        a[3] + w * x[3],
        a[4] + w * x[4],
        a[5] + w * x[5],
        a[6] + w * x[6],
        a[7] + w * x[7],
    )


@inlined
def _or(x: float, y: float) -> float:
    return x if x > FORBIDDEN else y


@inlined
def unless_forbidden(x: Lanes, y: Lanes) -> Lanes:
    """Return the first if it is allowed, else the second, in each lane."""
    return (
        _or(x[0], y[0]),
        _or(x[1], y[1]),
        _or(x[2], y[2]),
        _or(x[3], y[3]),
        _or(x[4], y[4]),
        _or(x[5], y[5]),
        _or(x[6], y[6]),
        _or(x[7], y[7]),
    )


@part
def sweep(p: TurnArrays, first: int, rows: int, work: Work, landing: Values) -> None:
    """Fill the values of rolling and of landing for the turn totals rows-1, ..., first.

    landing: those of `Work` after some sum of fines. They must be there for totals from ``rows`` to ``rows + p.most``,
    and so must those with more fines.
    """
    bank, farkle, changing, rolling, node = work.bank, work.farkle, p.leaves, work.rolling, work.node
    node_counts, node_at, classes = p.node_counts, p.node_at, (p.class_counts, p.weight, p.refs)
    farkles = p.farkle_first, p.farkle_weight, p.farkle_kind
    for step in range(rows - first):
        # Unsigned throughout, so that Numba need not look whether an index counts from the end of its array.
        total = uint64(rows - 1 - step)
        base = total * uint64(p.landings)
        # A keep brings a unit at least: nodes read landings of higher turn totals, which are done.
        _nodes(node_counts, node_at, base, landing, node)
        at = total * uint64(p.farkles) if changing else uint64(0)
        out = total * uint64(p.rollings)
        if p.splits:
            _split_classes(p, at, out, farkle, node, rolling)
        else:
            # Classes and their references lie in the order of these loops, so that both are only counted on.
            c: Index = uint64(0)
            i: Index = uint64(0)
            for r in range(uint64(p.rollings)):
                value = farkled(farkles, r, at, farkle)
                value, c, i = _weighed(classes, r, c, i, uint64(0), node, value)
                store(rolling, out + r, value)
        banked = total * uint64(p.offers)
        # Landings after a fine come behind these. They belong to another score, and `pay` fills them.
        for k in range(uint64(p.kind.size)):
            kind = p.kind[k]
            x = load(rolling, out + uint64(p.then[k]))
            if kind == FREE:
                x = larger(x, load(bank, banked + uint64(p.offer[k])))
            elif kind == MUST:
                x = unless_forbidden(load(bank, banked + uint64(p.offer[k])), x)
            elif kind == BANK:
                x = load(bank, banked + uint64(p.offer[k]))
            elif kind == LOST:
                x = load(farkle, lost_at(p, total) + uint64(p.lost[k]))
            store(landing, base + k, x)


@inlined
def lost_at(p: TurnArrays, total: Index) -> Index:
    """Return the row of farkles that `LOST` has at a turn total: that of one unit less, if farkles leave something."""
    return (total - uint64(1)) * uint64(p.farkles) if p.leaves and total > uint64(0) else uint64(0)


@inlined
def _nodes(counts: Indices, at: Indices, base: Index, landing: Values, node: Values) -> None:
    """Find the best landing of each node, for the turn total whose row begins at ``base``.

    Nodes of one, two and three places have loops of their own: short loops inside would cost as much as the work.
    """
    one, two, three, four = uint64(1), uint64(2), uint64(3), uint64(4)
    n, e = uint64(0), uint64(0)
    for _ in range(counts[0]):
        store(node, n, load(landing, base + at[e]))
        n, e = n + one, e + one
    for _ in range(counts[1]):
        store(node, n, larger(load(landing, base + at[e]), load(landing, base + at[e + one])))
        n, e = n + one, e + two
    for _ in range(counts[2]):
        x = larger(load(landing, base + at[e]), load(landing, base + at[e + one]))
        store(node, n, larger(x, load(landing, base + at[e + two])))
        n, e = n + one, e + three
    for length in range(three, uint64(counts.size)):
        for _ in range(counts[length]):
            x = larger(load(landing, base + at[e]), load(landing, base + at[e + one]))
            x = larger(x, larger(load(landing, base + at[e + two]), load(landing, base + at[e + three])))
            for i in range(four, length + one):
                x = larger(x, load(landing, base + at[e + i]))
            store(node, n, x)
            n, e = n + one, e + length + one


@inlined
def farkled(farkles: Farkles, r: Index, at: Index, farkle: Values) -> Lanes:
    """Return the value of the farkles of a rolling together."""
    first, weight, kind = farkles
    value = ZERO
    for f in range(first[r], first[r + uint64(1)]):
        value = plus(value, weight[f], load(farkle, at + kind[f]))
    return value


@inlined
def _weighed(
    classes: Classes, row: Index, c: Index, i: Index, base: Index, places: Values, value: Lanes
) -> tuple[Lanes, Index, Index]:
    """Add the best place of each class of a rolling, from class c and reference i on. As `_nodes`, in loops by length.

    Returns the value after them as well.
    """
    counts, weight, refs = classes
    one, two, three, four = uint64(1), uint64(2), uint64(3), uint64(4)
    for _ in range(counts[row, 0]):
        value = plus(value, weight[c], load(places, base + refs[i]))
        c, i = c + one, i + one
    for _ in range(counts[row, 1]):
        value = plus(value, weight[c], larger(load(places, base + refs[i]), load(places, base + refs[i + one])))
        c, i = c + one, i + two
    for _ in range(counts[row, 2]):
        x = larger(load(places, base + refs[i]), load(places, base + refs[i + one]))
        value = plus(value, weight[c], larger(x, load(places, base + refs[i + two])))
        c, i = c + one, i + three
    for length in range(three, uint64(counts.shape[1])):
        for _ in range(counts[row, length]):
            x = larger(load(places, base + refs[i]), load(places, base + refs[i + one]))
            x = larger(x, larger(load(places, base + refs[i + two]), load(places, base + refs[i + three])))
            for k in range(four, length + one):
                x = larger(x, load(places, base + refs[i + k]))
            value = plus(value, weight[c], x)
            c, i = c + one, i + length + one
    return value, c, i


@inlined
def _split_classes(p: TurnArrays, at: Index, out: Index, farkle: Values, node: Values, rolling: Values) -> None:
    """Find the value of every rolling, where some classes have nodes for when their first ones are not allowed (D5)."""
    one = uint64(1)
    for r in range(uint64(p.rollings)):
        value = farkled((p.farkle_first, p.farkle_weight, p.farkle_kind), r, at, farkle)
        for c in range(p.class_first[r], p.class_first[r + one]):
            x = load(node, p.refs[p.ref_first[c]])
            for i in range(p.ref_first[c] + one, p.alt_first[c]):
                x = larger(x, load(node, p.refs[i]))
            # The best of these is forbidden only if each of them is, in its lane: then no keep may be banked (D5, M4).
            if p.alt_first[c] < p.ref_first[c + one]:
                y = load(node, p.refs[p.alt_first[c]])
                for i in range(p.alt_first[c] + one, p.ref_first[c + one]):
                    y = larger(y, load(node, p.refs[i]))
                x = unless_forbidden(x, y)
            value = plus(value, p.weight[c], x)
        store(rolling, out + r, value)


@inlined
def exceeds(x: Lanes, y: Lanes) -> bool:
    """Return whether x is larger than y in any lane."""
    return (
        (x[0] > y[0])
        | (x[1] > y[1])
        | (x[2] > y[2])
        | (x[3] > y[3])
        | (x[4] > y[4])
        | (x[5] > y[5])
        | (x[6] > y[6])
        | (x[7] > y[7])
    )


@part
def sweep_start(p: TurnArrays, rows: int, work: Work) -> None:
    """Sweep a turn only for the value of its start: nothing but rolling[0, lane] is filled for good.

    For a program with a `Brief` form; and bank[T, lane] must not fall anywhere as T rises. Then no rolling is worth
    less at a higher turn total, and its last value is a bound for all lower ones: if a bank is worth that, there is
    no need to know more.
    """
    bank, farkle, landing, rolling = work.bank, work.farkle, work.landing, work.rolling
    then, width = p.then, uint64(p.landings)
    brief, farkles = p.brief, (p.farkle_first, p.farkle_weight, p.farkle_kind)
    for r in range(uint64(p.rollings)):
        # Above every bank, so that a rolling is calculated at the first turn total that asks for it.
        store(rolling, r, UNKNOWN)
    sure: Index = width
    for step in range(rows):
        total = uint64(rows - 1 - step)
        base = total * width
        banked = load(bank, total)
        for k in range(sure):
            r = uint64(then[k])
            if exceeds(load(rolling, r), banked):
                x = brief_rolling(brief, farkles, sure, r, base, farkle, landing)
                store(rolling, r, x)
                # `Brief` counts sure landings in their order: from here down no landing after this one counts as sure.
                if exceeds(x, banked):
                    sure = k
                    break
            store(landing, base + k, banked)
        for k in range(sure, width):
            r = uint64(then[k])
            x = brief_rolling(brief, farkles, sure, r, base, farkle, landing)
            store(rolling, r, x)
            store(landing, base + k, larger(banked, x))
    store(rolling, uint64(0), brief_rolling(brief, farkles, sure, uint64(0), uint64(0), farkle, landing))


@inlined
def brief_rolling(
    brief: Brief, farkles: Farkles, sure: Index, r: Index, base: Index, farkle: Values, landing: Values
) -> Lanes:
    """Return the value of one rolling, as `_weighed` has it, with the first ``sure`` landings banked."""
    # `Arrays.farkle_first` ends with where the last rolling's farkles end, so it has one place more.
    row = sure * uint64(farkles[0].size - 1) + r
    value = farkled(farkles, r, uint64(0), farkle)
    first, ref = brief.class_first[row], brief.ref_first[row]
    return _weighed((brief.counts, brief.weight, brief.refs), row, first, ref, base, landing, value)[0]


@inlined
def _pick(x: float, y: float, xu: float, yu: float) -> float:
    return yu if y > x else xu


@inlined
def of_larger(x: Lanes, y: Lanes, xu: Lanes, yu: Lanes) -> Lanes:
    """Return the other seat's value that belongs to the larger of x and y, in each lane."""
    return (
        _pick(x[0], y[0], xu[0], yu[0]),
        _pick(x[1], y[1], xu[1], yu[1]),
        _pick(x[2], y[2], xu[2], yu[2]),
        _pick(x[3], y[3], xu[3], yu[3]),
        _pick(x[4], y[4], xu[4], yu[4]),
        _pick(x[5], y[5], xu[5], yu[5]),
        _pick(x[6], y[6], xu[6], yu[6]),
        _pick(x[7], y[7], xu[7], yu[7]),
    )


@inlined
def _pick_or(x: float, xu: float, yu: float) -> float:
    return xu if x > FORBIDDEN else yu


@inlined
def of_allowed(x: Lanes, xu: Lanes, yu: Lanes) -> Lanes:
    """Return the other seat's value that belongs to x if x is allowed, else the second one, in each lane."""
    return (
        _pick_or(x[0], xu[0], yu[0]),
        _pick_or(x[1], xu[1], yu[1]),
        _pick_or(x[2], xu[2], yu[2]),
        _pick_or(x[3], xu[3], yu[3]),
        _pick_or(x[4], xu[4], yu[4]),
        _pick_or(x[5], xu[5], yu[5]),
        _pick_or(x[6], xu[6], yu[6]),
        _pick_or(x[7], xu[7], yu[7]),
    )


@part
def sweep_pairs(p: TurnArrays, first: int, rows: int, work: Work, landing: Values, landing_u: Values) -> None:
    """Fill the pairs of values of rolling and of landing for the turn totals rows-1, ..., first: see `sweep`."""
    for step in range(rows - first):
        total = uint64(rows - 1 - step)
        _pair_nodes(p, total, landing, landing_u, work.node, work.node_u)
        _pair_classes(p, total, work)
        _pair_landings(p, total, work, landing, landing_u)


@inlined
def _pair_nodes(p: TurnArrays, total: Index, landing: Values, landing_u: Values, node: Values, node_u: Values) -> None:
    """Find the best landing of each node."""
    one, base = uint64(1), total * uint64(p.landings)
    for n in range(uint64(p.node_first.size - 1)):
        place = base + p.node_at[p.node_first[n]]
        x, xu = load(landing, place), load(landing_u, place)
        for e in range(p.node_first[n] + one, p.node_first[n + one]):
            place = base + p.node_at[e]
            y, yu = load(landing, place), load(landing_u, place)
            x, xu = larger(x, y), of_larger(x, y, xu, yu)
        store(node, n, x)
        store(node_u, n, xu)


@inlined
def _pair_classes(p: TurnArrays, total: Index, work: Work) -> None:
    """Find the value of every rolling: farkles, and the best node of each class."""
    one = uint64(1)
    at = total * uint64(p.farkles) if p.leaves else uint64(0)
    out = total * uint64(p.rollings)
    for r in range(uint64(p.rollings)):
        value = ZERO
        value_u = ZERO
        for f in range(p.farkle_first[r], p.farkle_first[r + one]):
            value = plus(value, p.farkle_weight[f], load(work.farkle, at + p.farkle_kind[f]))
            value_u = plus(value_u, p.farkle_weight[f], load(work.farkle_u, at + p.farkle_kind[f]))
        for c in range(p.class_first[r], p.class_first[r + one]):
            x, xu = _best_pair(p, p.ref_first[c], p.alt_first[c], work.node, work.node_u)
            if p.alt_first[c] < p.ref_first[c + one]:
                y, yu = _best_pair(p, p.alt_first[c], p.ref_first[c + one], work.node, work.node_u)
                xu = of_allowed(x, xu, yu)
                x = unless_forbidden(x, y)
            value = plus(value, p.weight[c], x)
            value_u = plus(value_u, p.weight[c], xu)
        store(work.rolling, out + r, value)
        store(work.rolling_u, out + r, value_u)


@inlined
def _best_pair(p: TurnArrays, first: Index, end: Index, node: Values, node_u: Values) -> tuple[Lanes, Lanes]:
    """Return the best of some nodes, and the other seat's value that belongs to it."""
    n = p.refs[first]
    x, xu = load(node, n), load(node_u, n)
    for i in range(first + uint64(1), end):
        n = p.refs[i]
        y, yu = load(node, n), load(node_u, n)
        x, xu = larger(x, y), of_larger(x, y, xu, yu)
    return x, xu


@inlined
def _pair_landings(p: TurnArrays, total: Index, work: Work, landing: Values, landing_u: Values) -> None:
    """Write what each landing is worth, a bank or rolling on, to both seats."""
    base, out, banked = total * uint64(p.landings), total * uint64(p.rollings), total * uint64(p.offers)
    for k in range(uint64(p.kind.size)):
        kind = p.kind[k]
        place = banked + uint64(p.offer[k])
        x, xu = load(work.rolling, out + uint64(p.then[k])), load(work.rolling_u, out + uint64(p.then[k]))
        if kind == FREE:
            y, yu = load(work.bank, place), load(work.bank_u, place)
            x, xu = larger(x, y), of_larger(x, y, xu, yu)
        elif kind == MUST:
            y = load(work.bank, place)
            x, xu = unless_forbidden(y, x), of_allowed(y, load(work.bank_u, place), xu)
        elif kind == BANK:
            x, xu = load(work.bank, place), load(work.bank_u, place)
        elif kind == LOST:
            place = lost_at(p, total) + uint64(p.lost[k])
            x, xu = load(work.farkle, place), load(work.farkle_u, place)
        store(landing, base + k, x)
        store(landing_u, base + k, xu)
