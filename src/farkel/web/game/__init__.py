"""The game in the browser: a table as a value of its events, the service that stores them, its API and pages."""
