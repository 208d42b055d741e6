"""The game in a terminal: the commands, the plain lines and the Textual application."""
