"""``python -m farkel`` is the ``farkel`` command."""

from farkel.terminal.cli import main

main(prog_name="farkel")
