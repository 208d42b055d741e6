"""Games with their seats and events, webhooks with their notices, and groups with their members and games."""

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
        sa.Column("code", sa.String(8)),
    )
    op.create_index("games_due", "games", ["due"])
    op.create_index("games_open", "games", ["over", "touched"])
    op.create_index("games_code", "games", ["code"], unique=True)
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
    """Drop the tables, which hold no games."""
    refuse_with_games(op.get_bind())
    for table in ("group_games", "members", "groups", "notices", "hooks", "events", "seats", "games"):
        op.drop_table(table)
