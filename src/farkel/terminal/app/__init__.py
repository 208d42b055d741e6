"""The Textual application: the game at a table that anybody understands."""
