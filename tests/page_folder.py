"""The folder of the page, built once and served by a program that has never heard of Farkel, and who plays in it."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

import farkel
from browser_helpers import CHROMIUM, DESKTOP, WAIT, Visitor, left_out
from farkel.page.building import folder as building
from farkel.page.building.parts import PageError
from serving import HANG

PLACE = "games/farkel"
"""Where the folder lies on its site."""
TOLD = "Serving HTTP on"
SAYS = "const ABOUT = "
"""How the script begins that knows Python's files."""
EXPECTED = "ERR_CONNECTION_REFUSED", "htmx:sse:error: network error"
"""A site that is gone, and a stream that ends as its page is left or the service worker is stopped, are no faults."""

# The folder -----------------------------------------------------------------------------------------------------------


@contextmanager
def built() -> Iterator[Path]:
    """The folder of these sources. It is built once on a machine, and the last of those who use it may remove it."""
    kept = Path(tempfile.gettempdir()) / f"farkel-page-of-{os.getuid()}"
    kept.mkdir(mode=0o700, exist_ok=True)
    found = kept / digest()
    with found.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)  # several workers may use it
        if not found.exists():
            fcntl.flock(lock, fcntl.LOCK_EX)  # but one builds it
            if not found.exists():
                _build(found, kept)
                _tidy(kept, found)
            fcntl.flock(lock, fcntl.LOCK_SH)
        yield found


def digest() -> str:
    """What the folder is built of."""
    home = Path(farkel.__file__).parent
    found = hashlib.sha256()
    for path in sorted(path for path in home.rglob("*") if path.is_file() and "__pycache__" not in path.parts):
        found.update(f"{path.relative_to(home)} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return found.hexdigest()[:16]


def _build(found: Path, kept: Path) -> None:
    """Build it. What others publish stays beside it, for the next time."""
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory(dir=kept) as new:
        patch.setenv("XDG_CACHE_HOME", str(kept / "parts"))
        try:
            building.make(Path(new) / "folder")
        except PageError as error:
            if error.code not in ("no_node", "no_npm", "not_fetched"):
                raise
            left_out(error.message)
        (Path(new) / "folder").rename(found)


def _tidy(kept: Path, found: Path) -> None:
    """Remove folders of other sources that nobody uses."""
    for other in kept.glob("*.lock"):
        if other.stem == found.name:
            continue
        with suppress(OSError), other.open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(other.with_suffix(""), ignore_errors=True)
            other.unlink()


def changed(old: Path, into: Path, change: Callable[[Path, dict[str, Any]], None], first: str = "") -> Path:
    """A folder that is changed: its files, or what it says about Python's. ``first``: what the worker does first."""
    shutil.copytree(old, into)
    begins = (path.read_text("utf-8").partition("\n")[0] for path in into.glob("*.mjs"))
    (said,) = (line for line in begins if line.startswith(SAYS))
    about = json.loads(said.removeprefix(SAYS).removesuffix(";"))
    change(into, about)
    for name in ("farkel.json", "service.js"):
        (into / name).unlink()
    with pytest.MonkeyPatch.context() as patch:
        shell = into.with_name(f"{into.name}-shell")
        shutil.copytree(building.SHELL, shell)
        (shell / "worker.mjs").write_text(first + (shell / "worker.mjs").read_text("utf-8"), "utf-8")
        patch.setattr(building, "SHELL", shell)
        building._shell(into, about)
    return into


def newer(old: Path, into: Path) -> Path:
    """The folder of a newer version. None of the old one's files of Python are in it, and its pages differ."""

    def change(folder: Path, about: dict[str, Any]) -> None:
        for one in about["files"].values():
            before = folder / "py" / one[0]
            one[0] = f"newer-{one[0]}"
            before.rename(folder / "py" / one[0])
        for name in ("static/style.css", "static/start.css"):
            with (folder / name).open("a") as style:
                style.write("\n:root { --newer: 1; }\n")

    return changed(old, into, change)


# The site -------------------------------------------------------------------------------------------------------------


class Site:
    """A site with the folder below a path, served by Python's own `http.server`."""

    def __init__(self, folder: Path, place: Path, host: str = "127.0.0.1") -> None:
        """``place``: an empty folder for the site."""
        self._root, self._link = place, place / PLACE
        self._link.parent.mkdir(parents=True)
        self._link.symlink_to(folder)
        self._port = 0
        self._host = host
        self.start()

    @property
    def address(self) -> str:
        """Of the folder, without a slash at its end."""
        return f"http://{self._host}:{self._port}/{PLACE}"

    def start(self) -> None:
        """Begin to serve, at the port it had before."""
        command = [sys.executable, "-u", "-m", "http.server", str(self._port), "--bind", "127.0.0.1"]
        self._process = subprocess.Popen(
            [*command, "-d", str(self._root)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self._process.stdout is not None
        said = self._process.stdout.readline()
        assert TOLD in said, said
        self._port = int(said.split(" port ")[1].split()[0])

    def stop(self) -> None:
        """End the program: nobody listens any more."""
        self._process.terminate()
        self._process.wait(HANG)
        assert self._process.stdout is not None
        self._process.stdout.close()

    def serves(self, folder: Path) -> None:
        """Put another folder in the place of this one, from one request to the next."""
        new = self._link.with_name("new")
        new.symlink_to(folder)
        new.rename(self._link)


# Who plays ------------------------------------------------------------------------------------------------------------


class Profile:
    """A browser whose data stays in a folder when it is closed."""

    def __init__(self, browser: Any, folder: Path) -> None:
        self._browser, self._folder = browser, folder

    def new_context(self, **options: Any) -> Any:
        """Start it again."""
        return self._browser.browser_type.launch_persistent_context(
            self._folder, executable_path=str(CHROMIUM), args=["--no-sandbox"], timeout=WAIT, **options
        )


class Inside(Visitor):
    """A visitor whose page stands in the frame of the shell."""

    def __init__(self, browser: Any, address: str, size: dict[str, int] = DESKTOP, **options: Any) -> None:
        self.asked: list[str] = []
        super().__init__(browser, address, size, **options)
        self.context.set_default_timeout(3 * WAIT)  # Python starts first
        self.context.on("request", lambda request: self.asked.append(request.url))

    def _console(self, message: Any) -> None:
        if not any(one in message.text for one in EXPECTED):
            super()._console(message)

    @property
    def page(self) -> Any:
        """The frame; the tab before there is one."""
        return next((frame for frame in self.tab.frames if frame.parent_frame), self.tab)

    @page.setter
    def page(self, page: Any) -> None:
        self.tab = page

    def arrive(self, path: str = "", tab: Any = None) -> None:
        """Open a page of the folder, in this tab or in another, and look at that from now on."""
        self.tab = tab or self.tab
        self.tab.goto(f"{self.address}/{path}")
        self.shown()

    def start(self, *given: Any, **named: Any) -> None:
        """Open a game, from the page to set one up."""
        self.controlled()
        super().start(*given, **named)

    def reload(self) -> None:
        """Load the tab again."""
        self.tab.reload()
        self.shown()

    def shown(self) -> None:
        """Wait until the frame shows a page."""
        self.tab.frame_locator("#page").locator("main").wait_for()

    def controlled(self) -> None:
        """Wait until the tab's addresses are answered here, and not by the site."""
        self.tab.locator("html[data-controlled]").wait_for()

    def python(self) -> None:
        """Wait until Python has started in this tab."""
        self.tab.locator("html[data-ready]").wait_for()

    def kept(self) -> None:
        """Wait until everything is in the browser that the page needs without its server."""
        self.tab.locator("html[data-kept]").wait_for()

    @property
    def left(self) -> list[str]:
        """The requests that left the folder."""
        own = f"{self.address}/", f"blob:{self.address.rsplit('/', 2)[0]}/", "data:", "about:", "chrome-extension:"
        return [address for address in self.asked if not address.startswith(own)]

    def files(self) -> Any:
        """Ask what the browser's own tools may do: its storage and its workers."""
        return self.context.new_cdp_session(self.tab)
