"""The store of games: SQLite or PostgreSQL, one row per event, stored before anyone is notified."""
