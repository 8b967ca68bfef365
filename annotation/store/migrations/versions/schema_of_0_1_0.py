"""the schema of Dailies 0.1.0, which that version made itself

Revision ID: 0012
"""

from backends.errors import UsageError

revision = "0012"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    raise UsageError("an earlier version than 0.1.0 made this database; open it with 0.1.0 first")
