"""The steps that bring a database up to date."""

from __future__ import annotations

from sqlalchemy import Connection, text

from farkel.web.store.database import DatabaseError


def refuse_with_games(connection: Connection) -> None:
    """Raise `DatabaseError` ``has_games`` for a database with games. Every downgrade asks this first."""
    games = connection.execute(text("SELECT count(*) FROM games")).scalar_one()
    if games:
        raise DatabaseError(
            "has_games",
            f"the database holds {games:,} games, which going back to an older version would lose: keep this version, "
            "or start the older one with the backup that was made before the update",
        )
