"""Three seats, each of which plays for its own chance to win. What solves them needs NumPy and Numba."""
