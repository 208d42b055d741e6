"""Webhooks, and the notices that wait to be sent to them."""

import sqlalchemy as sa
from alembic import op

from farkel.web.store.migrations import refuse_with_games

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "hooks",
        sa.Column("hook", sa.String(16), primary_key=True),
        sa.Column("of", sa.String(16), nullable=False),
        sa.Column("seat", sa.Integer),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("form", sa.String(8), nullable=False),
        sa.Column("secret", sa.String(64), nullable=False),
        sa.Column("base", sa.Text, nullable=False),
        sa.Column("failed", sa.Integer, nullable=False),
        sa.Column("last", sa.Text, nullable=False),
    )
    op.create_index("hooks_of", "hooks", ["of"])
    op.create_table(
        "notices",
        sa.Column("notice", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
        sa.Column("hook", sa.String(16), sa.ForeignKey("hooks.hook", ondelete="CASCADE"), nullable=False),
        sa.Column("game", sa.String(16), nullable=False),
        sa.Column("turn", sa.Integer, nullable=False),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.Column("said", sa.Text, nullable=False),
        sa.Column("due", sa.BigInteger),
        sa.Column("tries", sa.Integer, nullable=False),
    )
    op.create_index("notices_once", "notices", ["hook", "game", "turn", "seat"], unique=True)
    op.create_index("notices_due", "notices", ["due"])


def downgrade() -> None:
    """Drop the tables, if there are no games."""
    refuse_with_games(op.get_bind())
    for table in ("notices", "hooks"):
        op.drop_table(table)
