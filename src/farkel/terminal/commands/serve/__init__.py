"""Serving: the game for browsers, bots that join it, and tools for assistants."""
