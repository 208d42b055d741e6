"""Players as tables and plain functions, so that whole games can be played in machine code."""
