"""How Alembic reaches the tables: always over a connection that is given to it (see `farkel.web.store.database`)."""

from alembic import context

from farkel.web.store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,  # SQLite changes a table by making it again
)
with context.begin_transaction():
    context.run_migrations()
