"""Checks the types of the pages' scripts: ``make scripts``. TypeScript only reads them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from farkel.page.building.parts import PageError, node, npm_package

TYPESCRIPT = "5.9.3"
INTEGRITY = "jl1vZzPDinLr9eUt3J/t7V6FgNEw9QjvBPdysz9KfQDD41fQrC2Y4vKQdiaUpFT4bXlb1RHhLpp8wtm6M5TgSw=="
"""SHA-512 of its npm package."""
PLAN = Path(__file__).with_name("tsconfig.json")
OTHERS = "static/vendor/"
"""Scripts of other people: how they are typed is theirs."""
DOING = "checking the types of scripts"


def main() -> None:
    """Say what is wrong with the types, if anything."""
    try:
        command = [node(DOING), str(npm_package("typescript", TYPESCRIPT, INTEGRITY, DOING) / "lib" / "tsc.js")]
    except PageError as error:
        if error.code == "no_node" and os.environ.get("FARKEL_ALL_TESTS") != "1":
            print(f"Left out: {error.message}")
            return
        raise
    done = subprocess.run([*command, "-p", str(PLAN)], capture_output=True, text=True, check=False)
    if done.returncode:
        findings = re.split(r"\n(?!\s|$)", done.stdout + done.stderr)
        wrong = [finding for finding in findings if OTHERS not in finding.partition("(")[0]]
        sys.exit("\n".join(wrong).strip() or None)


if __name__ == "__main__":
    main()
