"""The pairings of a Swiss tournament: players with about as many points meet, and nobody meets anybody twice.

Whoever pairs only for the next round may come to where every pairing has a pair that has met. So all the rounds that
there can be are kept possible: pairs are taken only if those left still make up that many rounds. That is sure for as
long as such a schedule is known, since its own rounds may be played in any order.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import combinations, islice

Pair = frozenset[str]
Round = frozenset[Pair]

NOBODY = ""
"""Whoever is paired with it has a bye."""
TRIED = 12
"""Pairings of a round that are tried before one of the known schedule is taken."""
PATIENCE = 20
"""Steps for each pair, after which no schedule is looked for any more."""
PRIME = 2**31 - 1


def paired(order: Sequence[str], before: Sequence[Round]) -> list[tuple[str, str]]:
    """Return the pairs of a round; of an odd number of players one has a bye, and is in none.

    order: all players, best first. before: the pairs of all earlier rounds; a bye is a pair with `NOBODY`. The bye goes
    to the last one that has had none, the first player meets the next one that it can meet, and so on. Nobody meets
    anybody twice, and nobody has two byes, in as many rounds as there are other players (one more if they are odd).
    """
    players = (*sorted(order), NOBODY) if len(order) % 2 else tuple(sorted(order))
    # From the back, so that the bye is given first.
    wishes = [NOBODY, *reversed(order)] if len(order) % 2 else list(order)
    schedule = left_over(players, tuple(before)) or round_robin(players)
    free = frozenset[Pair]().union(*schedule)
    for found in islice(_pairings(wishes, free), TRIED):
        if found in schedule or factored(free - found, len(schedule) - 1) is not None:
            break
    else:
        place = {player: number for number, player in enumerate(wishes)}
        found = min(schedule, key=lambda each: sum((place[a] - place[b]) ** 2 for a, b in map(tuple, each)))
    rank = {player: number for number, player in enumerate(order)}
    pairs = (sorted(pair, key=rank.__getitem__) for pair in found if NOBODY not in pair)
    return sorted(((first, second) for first, second in pairs), key=lambda pair: rank[pair[0]])


@lru_cache(maxsize=256)
def left_over(players: tuple[str, ...], before: tuple[Round, ...]) -> tuple[Round, ...]:
    """Return rounds that everybody can still play against strangers, as many as there can be after those before.

    They are the same ones that were known when these were paired. Nothing if earlier rounds left no such schedule.
    """
    if not before:
        return round_robin(players)
    *earlier, played = before
    schedule = left_over(players, tuple(earlier))
    if played in schedule:
        return tuple(each for each in schedule if each != played)
    return factored(frozenset[Pair]().union(*schedule) - played, len(schedule) - 1) or ()


def round_robin(players: Sequence[str]) -> tuple[Round, ...]:
    """Return all pairs of an even number of players, in rounds in which everybody plays."""
    first, *others = players
    found = []
    for _ in others:
        seats = [first, *others]
        found.append(frozenset(map(frozenset, zip(seats[: len(seats) // 2], reversed(seats), strict=False))))
        others = [*others[1:], others[0]]
    return tuple(found)


@lru_cache(maxsize=4)
def factored(pairs: frozenset[Pair], rounds: int) -> tuple[Round, ...] | None:
    """Return pairs parted into this many rounds in which everybody plays; None if no way was found.

    Each pair is given a round that is free for both players. If there is none, two rounds change places along the chain
    of pairs that begins at one of them (Kempe 1879), and if it leads to the other one, a pair makes room and is given
    another round. The same pairs lead to the same result.
    """
    chance, waiting = random.Random(0), sorted(sorted(pair) for pair in pairs)
    chance.shuffle(waiting)
    players = sorted({player for pair in waiting for player in pair})
    meets: dict[str, dict[int, str]] = {player: {} for player in players}
    """Whom each player meets in each round."""
    if len(waiting) != rounds * len(players) // 2:
        return None
    for _ in range(PATIENCE * (len(waiting) + len(players))):
        if not waiting:
            break
        one, other = waiting.pop()
        mine, its = (set(range(rounds)) - meets[player].keys() for player in (one, other))
        if not (mine and its):
            return None
        here = min(mine & its, default=-1)
        if here < 0:
            here, there = chance.choice(sorted(mine)), chance.choice(sorted(its))
            chain = _chain(meets, other, here, there)
            if chain[-1] == one:
                gone = meets[other].pop(here)
                del meets[gone][here]
                waiting.insert(chance.randrange(len(waiting) + 1), [other, gone])
            else:
                _swap(meets, chain, here, there)
        meets[one][here], meets[other][here] = other, one
    if waiting:
        return None
    return tuple(
        frozenset(frozenset((player, meets[player][number])) for player in players) for number in range(rounds)
    )


def _chain(meets: dict[str, dict[int, str]], player: str, here: int, there: int) -> list[str]:
    """Return the players from one on who meet each other in these two rounds in turns."""
    found, number = [player], here
    while number in meets[found[-1]]:
        found.append(meets[found[-1]][number])
        number = there if number == here else here
    return found


def _swap(meets: dict[str, dict[int, str]], chain: Sequence[str], here: int, there: int) -> None:
    """Let the two rounds change places for all the players of a chain."""
    for player in chain:
        games = meets[player]
        moved = {there: games.pop(here, None), here: games.pop(there, None)}
        games.update({number: met for number, met in moved.items() if met is not None})


def _pairings(left: Sequence[str], free: Collection[Pair]) -> Iterator[Round]:
    """Yield ways to pair all players by free pairs, each player with the nearest one first."""
    if not left:
        yield frozenset()
        return
    first, *others = left
    for other in others:
        rest = [player for player in others if player != other]
        pair = frozenset((first, other))
        if pair in free and pairable(rest, free):
            # After the bye, which is given from the back, the best come first.
            yield from (found | {pair} for found in _pairings(rest[::-1] if first == NOBODY else rest, free))


def pairable(players: Sequence[str], free: Collection[Pair]) -> bool:
    """Return whether all players can be paired by free pairs.

    So it is if Tutte's matrix of who may meet whom has a determinant other than 0, which is seen with random numbers
    in place of its unknowns (Lovász 1979): a yes is certain, and a wrong no less likely than one in 10 million.
    """
    chance, size = random.Random(0), len(players)
    matrix = [[0] * size for _ in players]
    for one, two in combinations(range(size), 2):
        if frozenset((players[one], players[two])) in free:
            matrix[one][two] = chance.randrange(1, PRIME)
            matrix[two][one] = PRIME - matrix[one][two]
    while matrix:
        pivot = next((row for row in matrix if row[0]), None)
        if pivot is None:
            return False
        matrix.remove(pivot)
        factor = PRIME - pow(pivot[0], -1, PRIME)
        matrix = [_without_first(row, pivot, row[0] * factor % PRIME) for row in matrix]
    return True


def _without_first(row: list[int], pivot: list[int], factor: int) -> list[int]:
    """Return the row and so many times the pivot, which cancels the first number, without it."""
    if not factor:
        return row[1:]
    return [(one + factor * other) % PRIME for one, other in zip(row[1:], pivot[1:], strict=True)]
