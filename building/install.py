"""Installs packages with pip, and says step by step what is fetched, and how much that is so far.

What follows its name goes to pip as it is: ``python building/install.py -c constraints.txt -e .[web]``.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator

BYTES = {"bytes": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9}
FETCHED = re.compile(r"\s*(?:Downloading|Using cached) (?:\S*/)?([^\s/]+?)-[^\s/]+\.(?:whl|tar\.gz) \(([\d.]+) (\w+)\)")
THERE = re.compile(r"Processing \S*/([^\s/]+?)-[^\s/]+\.whl")
BUILT = re.compile(r"Building (?:editable|wheel) for (\S+)")
UNPACKED = "Installing collected packages: "


def steps(lines: Iterable[str]) -> Iterator[str]:
    """Yield what to say for the lines that pip prints."""
    fetched, built = 0.0, set[str]()
    for line in lines:
        if found := FETCHED.match(line):
            fetched += float(found[2]) * BYTES.get(found[3], 0.0)
            yield f"  fetched {found[1]} ({found[2]} {found[3]}); {fetched / 1e6:,.1f} MB so far"
        elif found := THERE.match(line):
            yield f"  found {found[1]} on this computer"
        elif (found := BUILT.search(line)) and found[1] not in built:
            built.add(found[1])
            yield f"  building {found[1]}"
        elif line.startswith(UNPACKED):
            names = line.removeprefix(UNPACKED).split(",")
            yield f"  unpacking {len(names)} {'package' if len(names) == 1 else 'packages'}: the last step"


def main() -> int:
    """Run pip, and return its exit status."""
    command = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--progress-bar", "off"]
    with subprocess.Popen([*command, *sys.argv[1:]], stdout=subprocess.PIPE, text=True) as pip:
        for step in steps(pip.stdout or ()):
            print(step, flush=True)
    return pip.returncode


if __name__ == "__main__":
    sys.exit(main())
