"""Games, their seats and their events."""

import sqlalchemy as sa
from alembic import op

from farkel.web.store.migrations import refuse_with_games

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "games",
        sa.Column("game", sa.String(16), primary_key=True),
        sa.Column("opened", sa.BigInteger, nullable=False),
        sa.Column("touched", sa.BigInteger, nullable=False),
        sa.Column("over", sa.Boolean, nullable=False),
        sa.Column("due", sa.BigInteger),
        sa.Column("plan", sa.Text, nullable=False),
        sa.Column("secret", sa.LargeBinary(32), nullable=False),
        sa.Column("host", sa.String(64), nullable=False),
    )
    op.create_index("games_due", "games", ["due"])
    op.create_index("games_open", "games", ["over", "touched"])
    op.create_table(
        "seats",
        sa.Column("game", sa.String(16), sa.ForeignKey("games.game", ondelete="CASCADE"), primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("token", sa.String(64), nullable=False, index=True),
        sa.Column("seen", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "events",
        sa.Column("game", sa.String(16), sa.ForeignKey("games.game", ondelete="CASCADE"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.String(12), nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("request", sa.String(64)),
    )
    op.create_index("events_request", "events", ["game", "request"], unique=True)


def downgrade() -> None:
    """Drop the tables, which hold no games."""
    refuse_with_games(op.get_bind())
    for table in ("events", "seats", "games"):
        op.drop_table(table)
