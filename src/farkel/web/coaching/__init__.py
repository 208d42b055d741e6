"""What pages ask the coach, and the process beside the server that calculates it."""
