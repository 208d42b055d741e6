"""The service file for systemd: systemd reads it, and its command serves."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import httpx
import pytest

from serving import Process

UNIT = Path(__file__).resolve().parents[2] / "examples" / "farkel.service"
if not UNIT.exists():
    pytest.skip("the sources are not here", allow_module_level=True)


def command() -> list[str]:
    """Return the command that the service runs."""
    (line,) = re.findall(r"^ExecStart=(.*)$", UNIT.read_text("utf-8"), re.MULTILINE)
    return shlex.split(line)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_systemd_reads_the_service_file_without_a_complaint(tmp_path: Path) -> None:
    unit = tmp_path / "farkel.service"
    unit.write_text(UNIT.read_text("utf-8").replace(command()[0], sys.executable), "utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True, check=False, env=os.environ
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_command_of_the_service_serves_and_ends_as_systemd_ends_it(tmp_path: Path) -> None:
    options = dict(pairwise(command()))
    assert options["--database"].startswith("sqlite:////var/lib/farkel/")
    changed = {options["--database"]: f"sqlite:///{tmp_path / 'web.sqlite'}", options["--port"]: "0"}
    with Process("-m", "farkel", *(changed.get(one, one) for one in command()[1:])) as server:
        (address,) = re.findall(r"http://127\.0\.0\.1:\d+", server.until("http://127.0.0.1:"))
        assert httpx.get(f"{address}/healthz").status_code == 200
        assert server.stop(signal.SIGINT) in (0, 130)
    assert (tmp_path / "web.sqlite").exists()
