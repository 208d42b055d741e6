"""Farkel in a page: the server's application inside a browser, from a static folder, for the people in front of it."""
