"""Decisions as a data set: observations, legal actions, the value of each action, and the regret of the chosen one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from farkel.bench.courses import DERIVATION
from farkel.bench.games import JudgedGame
from farkel.rules import Rules
from farkel.support.extras import needs
from farkel.training import ENV_VERSION, Encoder

GROUP = 20_000
"""Decisions of a row group, at least."""
TWO = (1, 1)


@contextmanager
def decisions_file(path: Path, seed: int) -> Iterator[Callable[[str, JudgedGame], None]]:
    """Take games into a Parquet file, a row for each decision.

    Columns: ``agent``, ``rules``, ``game``, ``seat``, ``stage``; ``observation``, ``mask`` and ``action`` as
    `farkel.training` has them; ``best``, the action of most worth; ``values``, the winning chance after each action,
    not a number if it is not legal; ``regret`` of the chosen action.
    """
    needs("parquet", "--decisions")
    import pyarrow as pa
    import pyarrow.parquet as pq

    words = pa.dictionary(pa.int32(), pa.string())
    schema = pa.schema(
        {
            "agent": words,
            "rules": words,
            "game": pa.int32(),
            "seat": pa.int8(),
            "stage": words,
            "observation": pa.list_(pa.float32()),
            "mask": pa.list_(pa.int8()),
            "action": pa.int16(),
            "best": pa.int16(),
            "values": pa.list_(pa.float32()),
            "regret": pa.float32(),
        },
        metadata={"seed": str(seed), "derivation": DERIVATION, "observations": str(ENV_VERSION)},
    )
    encoders: dict[Rules, Encoder] = {}
    rows: list[dict[str, Any]] = []

    def write(writer: Any) -> None:
        writer.write_table(pa.Table.from_pylist(rows, schema=schema))
        rows.clear()

    with pq.ParquetWriter(path, schema) as writer:

        def take(agent: str, game: JudgedGame) -> None:
            if game.rules not in encoders:
                encoders[game.rules] = Encoder(game.rules, TWO)
            rows.extend(_rows(encoders[game.rules], agent, game))
            if len(rows) >= GROUP:
                write(writer)

        yield take
        if rows:
            write(writer)


def _rows(encoder: Encoder, agent: str, game: JudgedGame) -> Iterator[dict[str, Any]]:
    import numpy as np  # without the extras that are needed here it may be missing

    rules = str(game.rules)
    for one in game.decisions:
        values = np.full(encoder.actions.size, np.nan, np.float32)
        for action, chance in one.worth.items():
            values[encoder.actions.index(one.state, action)] = chance
        yield {
            "agent": agent,
            "rules": rules,
            "game": game.number,
            "seat": game.seat,
            "stage": one.stage,
            "observation": encoder.encode(one.state, one.state.seat),
            "mask": encoder.actions.legal(one.state).mask,
            "action": encoder.actions.index(one.state, one.action),
            "best": int(np.nanargmax(values)),
            "values": values,
            "regret": one.regret,
        }
