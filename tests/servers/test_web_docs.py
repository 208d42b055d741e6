"""The page about the web: its example for a shell is run against a server, and its table of errors is complete."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from farkel.web.errors import STATUS
from home import environment
from serving import serving

PAGE = (Path(__file__).parents[2] / "docs/web.md").read_text()


def test_the_example_with_curl_opens_a_game_and_plays_a_move(tmp_path: Path) -> None:
    if shutil.which("curl") is None and os.environ.get("FARKEL_ALL_TESTS") != "1":
        pytest.skip("curl is not installed: the example that uses it is left out")
    (script,) = (block for block in re.findall(r"^```sh\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE) if "curl" in block)
    with serving(tmp_path) as (address, _):
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script.replace("http://127.0.0.1:8000", address)],
            cwd=tmp_path,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in re.sub(r"(?<=[}\]])(?=[{\[])", "\n", done.stdout).splitlines()]
    word, started, rolled, view, events = answers
    assert [word["number"], started["number"], rolled["number"]] == [1, 2, 3]
    assert re.fullmatch(r"Ann: (rolls|throws) [1-6 ]+( ; .*)?", rolled["events"][0]["text"])
    assert view["seats"][0]["yours"]
    assert [event["kind"] for event in events][:3] == ["word", "start", "move"]


def test_every_code_with_a_status_of_its_own_is_in_the_table() -> None:
    for code, status in STATUS.items():
        assert re.search(rf"^\| {status} \|.*`{code}`", PAGE, re.MULTILINE), (code, status)
