"""The draws of `farkel.dice.simulated`, for kernels: numbers of 64 bits, of which what is beyond is lost.

A test holds the two together.
"""

from __future__ import annotations

from farkel.dice.simulated import FIRST, GOLDEN, SECOND
from farkel.kernels.registry import callable_from_code
from farkel.kernels.words import uint64

Draw = int


@callable_from_code
def mix(x: Draw) -> Draw:
    """Scramble a 64-bit number one-to-one: each bit of the result depends on all bits of x."""
    x = uint64((x ^ (x >> uint64(30))) * uint64(FIRST))
    x = uint64((x ^ (x >> uint64(27))) * uint64(SECOND))
    return x ^ (x >> uint64(31))


@callable_from_code
def key(seed: Draw, game: Draw, stream: Draw) -> Draw:
    """Return the key of a stream of a game."""
    return mix(uint64(mix(uint64(mix(uint64(seed)) + uint64(game) * uint64(GOLDEN))) + uint64(stream)))


@callable_from_code
def draw(start: Draw, number: Draw) -> Draw:
    """Return draw ``number``, counted from 0, of the stream with that key: 64 bits."""
    return mix(uint64(start + (uint64(number) + uint64(1)) * uint64(GOLDEN)))


@callable_from_code
def below(x: Draw, most: Draw) -> Draw:
    """Return one of the numbers 0 to most - 1 from a draw, for ``most`` below 2**32.

    It is the high half of their product, which has more than 64 bits: it is made of two shorter products.
    """
    low = ((x & uint64(0xFFFFFFFF)) * uint64(most)) >> uint64(32)
    return ((x >> uint64(32)) * uint64(most) + low) >> uint64(32)
