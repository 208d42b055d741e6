"""The coach's worker in a browser: what it has solved is there again when another worker starts."""

from __future__ import annotations

import base64
import os
import pickle
import shutil
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import farkel
from farkel.page import coach
from farkel.web.coaching import calculations
from in_pyodide import kept
from named_rules import rules_of

WORKER = """
import { loadPyodide } from "./pyodide/pyodide.mjs";
import { serve } from "./coach.mjs";
const early = [];
self.onmessage = (event) => early.push(event);
const py = await loadPyodide();
const extractDir = py.runPython("import site; site.getsitepackages()[0]");
for (const name of WHEELS) {
  const answer = await fetch(name);
  py.unpackArchive(await answer.arrayBuffer(), "zip", { extractDir });
}
py.runPython("import importlib; importlib.invalidate_caches()");
await serve(py, self, early);
"""
ASK = """
async (work) => {
  window.worker ??= new Worker("worker.mjs", { type: "module" });
  const bytes = Uint8Array.from(atob(work), (one) => one.charCodeAt(0));
  worker.postMessage({ number: 1, work: bytes });
  return await new Promise((done) => {
    worker.onerror = (event) => done(event.message);
    worker.onmessage = ({ data: { reply, failed } }) => {
      if (failed) done(failed);
      if (reply) done(btoa(String.fromCharCode(...reply)));
    };
  });
}
"""


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder, and says nothing of it."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | {".mjs": "text/javascript"}

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  as the base has it
        pass


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[str]:
    """The address of a folder with a worker for the coach."""
    parts = kept()
    (tmp_path / "pyodide").symlink_to(parts.pyodide)
    sources = Path(farkel.__file__).parent
    shutil.make_archive(str(tmp_path / "farkel"), "zip", sources.parent, sources.name)
    names = ["farkel.zip", *(wheel.name for wheel in parts.wheels)]
    for wheel in parts.wheels:
        (tmp_path / wheel.name).symlink_to(wheel)
    shutil.copy(sources / "page" / "shell" / "coach.mjs", tmp_path)
    (tmp_path / "worker.mjs").write_text(WORKER.replace("WHEELS", repr(names)))
    (tmp_path / "index.html").write_text("<!doctype html><title>Coach</title>")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


def asked(page: Any, function: Callable[..., Any], *arguments: Any) -> Any:
    """What the worker answers."""
    reply = page.evaluate(ASK, base64.b64encode(pickle.dumps((function, arguments))).decode())
    return pickle.loads(base64.b64decode(reply, validate=True))


@pytest.mark.slow
def test_what_the_coach_has_solved_is_kept_in_the_browser(browser: Any, folder: str) -> None:
    page = browser.new_page()
    page.set_default_timeout(120_000)
    page.goto(folder)
    rules = rules_of("minimal(target=1000)")
    assert asked(page, calculations.value, rules)["states"] == calculations.value(rules)["states"]
    place = asked(page, coach.begin)
    solved = asked(page, os.listdir, place)
    assert f"{rules.digest}.solution" in solved
    page.reload()  # the worker has gone
    assert asked(page, os.listdir, place) == solved
    page.close()
