"""the schema that Dailies 0.1.0 created

Revision ID: 0012
"""

from backends.errors import UsageError

revision = "0012"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    raise UsageError("this database was created by a version before 0.1.0; open it with 0.1.0 first")
