"""Groups, their members, and the games that they play."""

import sqlalchemy as sa
from alembic import op

from farkel.web.store.migrations import refuse_with_games

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "groups",
        sa.Column("name", sa.String(16), primary_key=True),
        sa.Column("token", sa.String(64), nullable=False),
        sa.Column("title", sa.String(40), nullable=False),
        sa.Column("rules", sa.Text, nullable=False),
        sa.Column("made", sa.BigInteger, nullable=False),
    )
    op.create_index("groups_token", "groups", ["token"], unique=True)
    op.create_table(
        "members",
        sa.Column("of", sa.String(16), sa.ForeignKey("groups.name", ondelete="CASCADE"), primary_key=True),
        sa.Column("member", sa.String(20), primary_key=True),
        sa.Column("joined", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "group_games",
        sa.Column("game", sa.String(16), sa.ForeignKey("games.game", ondelete="CASCADE"), primary_key=True),
        sa.Column("of", sa.String(16), sa.ForeignKey("groups.name", ondelete="CASCADE"), nullable=False),
        sa.Column("result", sa.Text),
        sa.Column("luck", sa.Text),
    )
    op.create_index("group_games_of", "group_games", ["of"])


def downgrade() -> None:
    """Drop the tables, if there are no games."""
    refuse_with_games(op.get_bind())
    for table in ("group_games", "members", "groups"):
        op.drop_table(table)
