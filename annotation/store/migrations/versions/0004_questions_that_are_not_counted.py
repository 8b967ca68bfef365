"""questions that people say cannot be answered fairly

Revision ID: 0004
Revises: 0003
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

REFERS = ("question", "video", "person")


def upgrade() -> None:
    op.create_table(
        "exclusion",
        sa.Column("id", sa.String(length=64), nullable=False),
        *(sa.Column(f"{name}_id", sa.String(length=64), nullable=False) for name in REFERS),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Float(precision=53), nullable=False),
        *(
            sa.ForeignKeyConstraint(
                [f"{name}_id"], [f"{name}.id"], name=op.f(f"fk_exclusion_{name}_id_{name}")
            )
            for name in REFERS
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_exclusion")),
    )
    with op.batch_alter_table("exclusion", schema=None) as batch_op:
        for name in REFERS:
            batch_op.create_index(batch_op.f(f"ix_exclusion_{name}_id"), [f"{name}_id"], unique=False)


def downgrade() -> None:
    op.drop_table("exclusion")
