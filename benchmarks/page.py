"""How quick the page in a folder is: its bytes, its start, a tap beside the server's page, memory, and the coach.

Makes the folder (which needs Node) and opens it in Chromium through Playwright. Figures are medians of a few runs in
this one call, or of one where something is made slow. A first visit is one with a new profile of the browser, a second
one comes after it, when the browser has kept everything. The first roll is asked for at once, by a tap on the start
page as soon as that can be tapped. Where a slower processor is measured, the browser's renderers are stopped for three
quarters of the time; where a slower network is, answers of the host wait and trickle. Host, server and browser share
the machine's cores.

Run parts of it by name: ``python benchmarks/page.py bytes start taps coach``.
"""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import BrowserContext, Frame, Page, Playwright, ViewportSize, sync_playwright

from farkel.page.building.folder import Part, make
from farkel.page.building.parts import PageError
from servers import family, site

CHROMIUM = Path("/usr/bin/chromium")
PHONE: ViewportSize = {"width": 390, "height": 844}
RUNS = 3
PATIENCE = 240_000
"""Milliseconds."""
FAST_4G = 8.1e6 / 8, 0.165
"""Bytes a second, and the seconds that an answer takes to begin."""
STOPPED, BEAT = 0.75, 0.02
"""The share of the time in which renderers are stopped, and the seconds of one beat."""
TAPS = 40
GAME = "standard(start=first_seat)"
SETS = "minimal", "kcd", "standard(target=5000)", "build-on"
"""The last has values that come with Farkel."""
SMALL = "minimal(target=500)"
MARKS = {"first visit": 6.0, "second visit": 2.0}
"""Seconds to the first roll that the project allows on an idle desktop."""

TAP = """async (selector) => {
  const board = () => document.getElementById("board").dataset.number;
  const before = board(), began = performance.now();
  document.querySelector(selector).click();
  await new Promise((done) => {
    const look = () => requestAnimationFrame(() => (board() === before ? look() : requestAnimationFrame(done)));
    look();
  });
  return performance.now() - began;
}"""
"""Tap, and return the milliseconds until another board has been painted."""
VALUE = """async (rules) => {
  const began = performance.now();
  const asked = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ rules }) };
  const answer = await fetch(`${document.documentElement.dataset.root}api/v1/rules/value`, asked);
  return [(performance.now() - began) / 1000, answer.status, await answer.text()];
}"""
NATIVE = """
import sys, time
from farkel.rules import parse
from farkel.web.coaching.calculations import value
rules = parse(sys.argv[1])
began = time.perf_counter()
value(rules)
print(time.perf_counter() - began)
"""


# The host -------------------------------------------------------------------------------------------------------------


class Shaped(SimpleHTTPRequestHandler):
    """A host of files, perhaps behind a slow network."""

    rate, delay = 0.0, 0.0
    one_after_the_other = threading.Lock()

    def log_message(self, *about: Any) -> None: ...

    def do_GET(self) -> None:
        time.sleep(self.delay)
        with suppress(BrokenPipeError, ConnectionResetError):
            super().do_GET()

    def copyfile(self, source: Any, outputfile: Any) -> None:
        while piece := source.read(16_384):
            if self.rate:
                with self.one_after_the_other:
                    time.sleep(len(piece) / self.rate)
            outputfile.write(piece)


@contextmanager
def hosted(folder: Path, network: tuple[float, float] = (0.0, 0.0)) -> Iterator[str]:
    """Yield the address of the folder."""
    handler = type("Handler", (Shaped,), dict(zip(("rate", "delay"), network, strict=True)))
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(folder))) as server:
        serving = threading.Thread(target=server.serve_forever, daemon=True)
        serving.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


# Browsers -------------------------------------------------------------------------------------------------------------


@contextmanager
def opened(play: Playwright, profile: Path) -> Iterator[BrowserContext]:
    """Yield a browser of its own, whose data stay in a folder."""
    context = play.chromium.launch_persistent_context(
        str(profile), executable_path=str(CHROMIUM), args=["--no-sandbox"], viewport=PHONE, reduced_motion="reduce"
    )
    context.set_default_timeout(PATIENCE)
    yield context
    context.close()


def renderers(profile: Path) -> list[int]:
    """The processes of a browser that have pages."""
    found = []
    for pid in family(os.getpid()):
        if f"--user-data-dir={profile}" in command(pid) and "--type=" not in command(pid):
            found += [one for one in family(pid) if "--type=renderer" in command(one)]
    return sorted(set(found))


def command(pid: int) -> str:
    """The command line of a process."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def pss(pid: int) -> float:
    """MiB of a process, each page divided among those that share it."""
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    return int(rollup.partition("\nPss:")[2].split()[0]) / 1024


@contextmanager
def slowed(profile: Path) -> Iterator[None]:
    """Stop the renderers of a browser for most of the time."""
    over, pids = threading.Event(), list[int]()

    def look() -> None:
        while not over.wait(BEAT):
            pids[:] = renderers(profile)

    def stop() -> None:
        while not over.is_set():
            for what, pause in ((signal.SIGSTOP, STOPPED), (signal.SIGCONT, 1 - STOPPED)):
                for pid in [*pids]:
                    with suppress(ProcessLookupError):
                        os.kill(pid, what)
                time.sleep(BEAT * pause)

    threads = [threading.Thread(target=one) for one in (look, stop)]
    for one in threads:
        one.start()
    try:
        yield
    finally:
        over.set()
        for one in threads:
            one.join()
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


# Starting -------------------------------------------------------------------------------------------------------------


class Start(NamedTuple):
    """Seconds from opening the page."""

    seen: float
    """The start page is there."""
    ready: float
    """Python answers."""
    rolled: float
    """The board of a new game is there."""


def started(context: BrowserContext, address: str) -> tuple[Page, Start]:
    """Open the page, and tap at once."""
    page = context.new_page()
    page.goto(address, wait_until="commit")
    frame = page.frame_locator("#page")
    frame.get_by_role("button", name="Roll the dice").click(no_wait_after=True)
    frame.locator("#board.playing").wait_for()
    rolled = page.evaluate("performance.now()") / 1000
    marks = page.evaluate("farkelMarks")
    return page, Start(marks["shown"] / 1000, marks["ready"] / 1000, rolled)


def visits(
    play: Playwright, address: str, folder: Path, slow: bool, runs: int = RUNS
) -> tuple[list[Start], list[Start]]:
    """First visits, and second ones after each of them."""
    first, second = list[Start](), list[Start]()
    for run in range(runs):
        profile = folder / f"profile-{slow}-{run}"
        for found in (first, second):
            with opened(play, profile) as context:
                if slow:
                    with slowed(profile):
                        page, start = started(context, address)
                else:
                    page, start = started(context, address)
                found.append(start)
                if found is first:
                    page.locator("html[data-prepared]").wait_for()
    return first, second


def show_starts(play: Playwright, made: Path, folder: Path) -> None:
    print(f"\n{'seconds from opening the page, tapped at once':<48}{'seen':>7}{'Python':>8}{'roll':>7}{'mark':>6}")
    for how, network, slow, runs in (
        ("", (0.0, 0.0), False, RUNS),
        (", renderers stopped 75% of the time", (0.0, 0.0), True, 1),
        (", fast 4G", FAST_4G, False, 1),
    ):
        with hosted(made, network) as address, tempfile.TemporaryDirectory(dir=folder) as place:
            found = visits(play, address, Path(place), slow, runs)
        for name, starts in zip(MARKS, found, strict=True):
            seen, ready, rolled = (statistics.median(one) for one in zip(*starts, strict=True))
            mark = "" if how else f"{MARKS[name]:g}"
            print(f"{name + how:<48}{seen:>7.2f}{ready:>8.2f}{rolled:>7.2f}{mark:>6}", flush=True)


# Taps -----------------------------------------------------------------------------------------------------------------


class Table:
    """A game for two at one screen."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        self._page = context.pages[0]
        self._page.goto(address)
        if self.frame is not self._page.main_frame:
            self._page.locator("html[data-prepared]").wait_for()  # from here on, nothing goes on beside the play
        self._page.goto(f"{address}new?rules={GAME}&way=one")
        self._inside("#dice").wait_for(state="attached")
        for index, name in enumerate(("Ann", "Ben")):
            self._inside(f"#name-{index}").fill(name)
        self._inside("details.card > summary").click()
        self._inside("#dice").select_option("system")
        self._inside("label[for=way-one]").click()
        self.frame.get_by_role("button", name="Play", exact=True).click()
        self._inside("#board.playing").wait_for()

    @property
    def frame(self) -> Frame:
        """The frame of the game: the tab itself on a server."""
        return next((one for one in self._page.frames if one.parent_frame), self._page.main_frame)

    def _inside(self, selector: str) -> Any:
        return self.frame.locator(selector)

    def tap(self) -> float | None:
        """Do the next thing; return its milliseconds, or None if it asked nothing of Python."""
        self._inside("#board:not(:has([data-settling]))").wait_for()
        if self._inside("#pass:not([hidden])").count():
            self._inside("#on").click()
            return None
        roll = self._inside("fieldset.roll")
        selector = "#board :not([hidden]) > button[data-key=r]"
        if roll.count():
            keeps = json.loads(str(roll.get_attribute("data-keeps")))
            then, one = next((then, one) for then in ("bank", "roll") for one in keeps if not one[then])
            for face in one["dice"]:
                self._inside(f"fieldset.roll input[value='{face}']:not(:checked)").first.check()
            selector = f"button[name=then][value={then}]"
        self._inside(selector).first.wait_for()
        took: float = self.frame.evaluate(TAP, selector)
        return took


def show_taps(play: Playwright, made: Path, folder: Path) -> None:
    """Tap at the page and at the server's, by turns."""
    with (
        hosted(made) as address,
        site("SQLite", 1, pace=0.0) as server,
        opened(play, folder / "page") as page,
        opened(play, folder / "server") as served,
    ):
        tables = {
            "page": Table(page, address),
            "server": Table(served, f"http://127.0.0.1:{server.servers[0].port}/"),
        }
        took: dict[str, list[float]] = {name: [] for name in tables}
        while min(map(len, took.values())) < TAPS:
            for name, table in tables.items():
                if (found := table.tap()) is not None:
                    took[name].append(found)
        print(f"\n{'milliseconds from a tap to the changed board':<48}{'50%':>7}{'90%':>8}{'longest':>9}{'taps':>6}")
        for name, some in took.items():
            tenths = statistics.quantiles(some, n=10)
            print(f"{name:<48}{statistics.median(some):>7.0f}{tenths[-1]:>8.0f}{max(some):>9.0f}{len(some):>6}")
        print(f"\n{'memory of the process that has the page':<48}{'MiB':>7}")
        for name in tables:
            print(f"{name:<48}{max(map(pss, renderers(folder / name))):>7.0f}")


# The coach ------------------------------------------------------------------------------------------------------------


def native(rules: str) -> float:
    """Seconds that a base installation takes that has never solved anything."""
    with tempfile.TemporaryDirectory() as home:
        found = os.environ | {"HOME": home, "XDG_CACHE_HOME": f"{home}/cache", "FARKEL_KERNELS": "shipped"}
        done = subprocess.run(
            [sys.executable, "-c", NATIVE, rules], env=found, capture_output=True, text=True, check=True
        )
    return float(done.stdout)


def show_coach(play: Playwright, made: Path, folder: Path) -> None:
    """Solve sets in the coach's worker, and in a program."""
    print(f"\n{'seconds to solve a game of two':<48}{'page':>7}{'native':>8}")
    with hosted(made) as address, opened(play, folder / "coach") as context:
        page = context.new_page()
        page.goto(address)
        page.locator("html[data-kept]").wait_for()
        frame = next(one for one in page.frames if one.parent_frame)
        for rules in (SMALL, *SETS):
            took, status, said = frame.evaluate(VALUE, rules)
            name = "the coach starts, and solves a small one" if rules == SMALL else rules
            answer = f"{took:>7.1f}" if status == 200 else json.loads(said)["code"]
            print(f"{name:<48}{answer}{native(rules):>8.1f}", flush=True)


# ----------------------------------------------------------------------------------------------------------------------


def show_bytes(parts: tuple[Part, ...]) -> None:
    print(f"{'bytes':<48}{'raw':>12}{'gzip':>12}")
    for part in parts:
        print(f"{part.name + ('' if part.first else ', after the first roll'):<48}{part.raw:>12,}{part.packed:>12,}")
    first = [part for part in parts if part.first]
    print(f"{'before the first roll':<48}{sum(one.raw for one in first):>12,}{sum(one.packed for one in first):>12,}")


def main() -> None:
    """Print the tables."""
    wanted = sys.argv[1:]
    show: dict[str, Callable[[Playwright, Path, Path], None]] = {
        "start": show_starts,
        "taps": show_taps,
        "coach": show_coach,
    }
    if not CHROMIUM.exists():
        print("The page is left out: it needs Chromium, as the package chromium installs it")
        return
    with tempfile.TemporaryDirectory(prefix="farkel-bench-") as place:
        made, folder = Path(place) / "made", Path(place)
        try:
            parts = make(made)
        except PageError as error:
            print(f"The page is left out: {error.message}")
            return
        if not wanted or "bytes" in wanted:
            show_bytes(parts)
        with sync_playwright() as play:
            print(f"\nload of the machine before it: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", flush=True)
            for name, one in show.items():
                if not wanted or name in wanted:
                    one(play, made, folder)


if __name__ == "__main__":
    main()
