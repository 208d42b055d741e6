"""The game in a browser: server, pages and the interface for programs."""
