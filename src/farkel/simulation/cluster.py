"""Games on many machines, with Ray. The results are those of one machine, to the bit.

Every machine of the cluster needs this version of Farkel, and the same versions of Python and Ray. Players from files
are sent along: one file each. Work of a machine that fails is done again by the others.
"""

from __future__ import annotations

import os
import socket
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from farkel import __version__
from farkel.dice.simulated import DERIVATION
from farkel.errors import ArenaError, FarkelError
from farkel.players import Player
from farkel.players.own import player_file
from farkel.simulation.jobs import Batch, Job
from farkel.simulation.matches import Source, batches, cores
from farkel.simulation.tally import total
from farkel.support.clock import clock
from farkel.support.extras import needs

SECONDS = 1.0
"""Of games that a machine is sent at a time, for each of its cores."""
FIRST, FEWEST, MOST = 256, 16, 1 << 16
"""Games of a part: of the first ones, and at least and at most of all others."""
RETRIES = 20
"""How often a part is played again when a machine failed."""
ANSWERS = 5.0
"""Seconds that a cluster may take to answer."""
STORE = 100_000_000
"""Bytes of the shared memory of a Ray that is started here."""

Say = Callable[[str], None]
Files = tuple[tuple[str, str, bytes] | None, ...]
"""Of each player: the name of its file, its class, and the file; None for a player from no file."""


@contextmanager
def connected(address: str, say: Say = lambda text: None) -> Iterator[Source]:
    """Connect to the Ray cluster at that address, and yield a source of games that plays them there in order.

    ``auto`` is the cluster that this machine belongs to; if there is none, Ray is started on this machine alone, and
    ``say`` is told so. Raises `ArenaError` ``not_installed``, ``no_cluster``; and, while games are played,
    ``cluster_failed``.
    """
    needs("cluster", "a cluster", ArenaError)
    if address != "auto" and not _answers(address):
        raise ArenaError(
            "no_cluster",
            f"no Ray cluster answers at {address}; its address is HOST:PORT, as in: ray start --head --port=6379",
        )
    # Before the import, which reads them: nothing is reported to Ray's makers, and nothing is said about it.
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    import ray

    _join(ray, address, say)
    try:
        yield lambda jobs, raw: _played(ray, jobs, raw)
    finally:
        ray.shutdown()


def _join(ray: Any, address: str, say: Say) -> None:
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    found = _here(ray) if address == "auto" else address
    if found is None:
        say("There is no Ray cluster here: started Ray on this machine alone.")
        ray.init("local", num_cpus=cores(), include_dashboard=False, object_store_memory=STORE, **quiet)
        return
    try:
        ray.init(found, **quiet)
    except Exception as error:
        raise ArenaError(
            "no_cluster",
            f"the Ray cluster at {found} cannot be joined: {_line(error)}. Where it wants a token, set "
            "RAY_AUTH_MODE=token and RAY_AUTH_TOKEN here as there",
        ) from None


def _here(ray: Any) -> str | None:
    """Return the address of the cluster that this machine belongs to, as Ray finds it."""
    try:
        found: str = ray._private.services.get_ray_address_from_environment("auto", None)
    except ConnectionError:
        return None
    return found if _answers(found) else None


def _answers(address: str) -> bool:
    """Return whether anybody listens there: Ray itself would ask for many minutes."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), ANSWERS).close()
    except (OSError, ValueError, OverflowError):
        return False
    return True


def _played(ray: Any, jobs: Sequence[Job], raw: bool) -> Generator[tuple[int, Batch], None, None]:
    """Yield the games of all jobs in their order. Some parts wait for each core, so that none waits for us."""
    part = ray.remote(num_cpus=1, max_retries=RETRIES)(play_part)
    paces = [FIRST] * len(jobs)
    files = [files_of(job) for job in jobs]
    parts = _parts(jobs, paces)
    waiting: deque[tuple[int, int, Any]] = deque()
    try:
        while True:
            room = 3 * max(1, int(ray.cluster_resources().get("CPU", 1))) - len(waiting)
            for place, job in islice(parts, max(0, room)):
                waiting.append((place, job.games, part.remote(job, files[place], raw, (__version__, DERIVATION))))
            if not waiting:
                return
            place, games, reference = waiting[0]
            batch, took = _answer(ray.get(reference))
            waiting.popleft()
            paces[place] = int(min(MOST, 4 * paces[place], max(FEWEST, games * SECONDS / max(took, 1e-6))))
            yield place, batch
    except ray.exceptions.RayError as error:
        raise ArenaError("cluster_failed", f"the Ray cluster failed: {_line(error)}") from None
    finally:
        for _, _, reference in waiting:
            ray.cancel(reference, force=True)


def _parts(jobs: Sequence[Job], paces: Sequence[int]) -> Iterator[tuple[int, Job]]:
    """Yield the jobs in parts, of as many games as their paces say by then."""
    for place, job in enumerate(jobs):
        first, end = job.first, job.first + job.games
        while first < end:
            size = min(paces[place], end - first)
            yield place, job.part(first, size)
            first += size


def _answer(found: tuple[Batch, float] | tuple[str, str]) -> tuple[Batch, float]:
    if isinstance(found[0], Batch):
        return found
    raise ArenaError(*found)


def _line(error: Exception) -> str:
    """Return the last line of Ray's message, if it has one."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1].rstrip(".") if lines else type(error).__name__


# On the machines ------------------------------------------------------------------------------------------------------


def play_part(job: Job, files: Files, raw: bool, versions: tuple[str, str]) -> tuple[Batch, float] | tuple[str, str]:
    """Return the games of a job in one piece and the seconds they took, or the code and message of an error.

    versions: of Farkel and of the derivation of chance, on the machine that sends the job.
    """
    if versions != (__version__, DERIVATION):
        return "other_version", f"a machine of the cluster has farkel {__version__}, and not {versions[0]}"
    try:
        here = replace(job, players=tuple(map(_placed, job.players, files)))
        begin = clock()
        return _together(list(batches(here, 1, raw))), clock() - begin
    except FarkelError as error:
        return error.code, error.message


def files_of(job: Job) -> Files:
    """Return the players' files that the machines of a cluster need. Raises `ArenaError` ``unreadable``."""
    return tuple(map(_file, job.players))


def _file(player: str | Player) -> tuple[str, str, bytes] | None:
    found = player_file(player) if isinstance(player, str) else None
    if found is None:
        return None
    path, name = found
    try:
        return path.name, name, path.read_bytes()
    except OSError as error:
        raise ArenaError("unreadable", f"{path} cannot be read: {error.strerror or error}") from None


def _placed(player: str | Player, file: tuple[str, str, bytes] | None) -> str | Player:
    """Return the player as this machine knows it, its file put where it can be read."""
    return player if file is None else f"{_folder(file[0], file[2]).name}/{file[0]}:{file[1]}"


@cache
def _folder(name: str, content: bytes) -> TemporaryDirectory[str]:
    """Return a folder with that file, until this process ends."""
    folder = TemporaryDirectory(prefix="farkel-")
    Path(folder.name, name).write_bytes(content)
    return folder


def _together(batches: Sequence[Batch]) -> Batch:
    """Return batches that follow each other as one."""
    first, *others = batches
    return Batch(
        first.first,
        sum(batch.games for batch in batches),
        total((batch.tally for batch in others), first.tally),
        [row for batch in batches for row in batch.raw],
        tuple(forfeit for batch in batches for forfeit in batch.forfeits),
        sum(batch.seconds for batch in batches),
    )
