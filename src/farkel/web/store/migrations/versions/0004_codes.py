"""Codes that invite to the free seats of a game."""

import sqlalchemy as sa
from alembic import op

from farkel.web.store.migrations import refuse_with_games

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column. Games that were opened before have no code."""
    op.add_column("games", sa.Column("code", sa.String(8)))
    op.create_index("games_code", "games", ["code"], unique=True)


def downgrade() -> None:
    """Take the column away, if there are no games."""
    refuse_with_games(op.get_bind())
    op.drop_index("games_code", "games")
    op.drop_column("games", "code")
