"""speech segments can be cut anew: each gets a value that holds the pieces

Revision ID: 0003
Revises: 0002
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    current = sa.Table("current", sa.MetaData(), autoload_with=op.get_bind())
    own = {
        "field": sa.literal("pieces"),
        "value": sa.null(),
        "revision": sa.literal(0),
        "corrected": sa.false(),
        "slot": current.c.slot + "-pieces",
    }
    names = [column.name for column in current.columns]
    old = sa.select(*(own.get(name, current.c[name]) for name in names)).where(
        current.c.subject_type == "segment", current.c.field == "text"
    )
    op.execute(current.insert().from_select(names, old))


def downgrade() -> None:
    op.execute("DELETE FROM current WHERE subject_type = 'segment' AND field = 'pieces'")
