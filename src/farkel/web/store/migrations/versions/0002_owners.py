"""Who opened a game, and who registered a webhook: what limits for each address count by."""

from urllib.parse import urlsplit

import sqlalchemy as sa
from alembic import op

from farkel.web.store.migrations import refuse_with_games

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

hooks = sa.table("hooks", sa.column("hook", sa.String), sa.column("url", sa.Text), sa.column("host", sa.Text))


def upgrade() -> None:
    """Add the columns. Webhooks that are there already count as those of one owner."""
    op.add_column("games", sa.Column("opened_before", sa.Integer, nullable=False, server_default=sa.text("0")))
    op.add_column("hooks", sa.Column("owner", sa.Integer, nullable=False, server_default=sa.text("0")))
    op.add_column("hooks", sa.Column("host", sa.Text, nullable=False, server_default=sa.text("''")))
    connection = op.get_bind()
    for hook, url in connection.execute(sa.select(hooks.c.hook, hooks.c.url)).all():
        host = urlsplit(url).hostname or ""
        connection.execute(sa.update(hooks).where(hooks.c.hook == hook).values(host=host))


def downgrade() -> None:
    """Drop the columns, of a database that holds no games."""
    refuse_with_games(op.get_bind())
    for table, column in (("hooks", "host"), ("hooks", "owner"), ("games", "opened_before")):
        op.drop_column(table, column)
