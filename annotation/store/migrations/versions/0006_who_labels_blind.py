"""people who label without seeing the judge

Revision ID: 0006
Revises: 0005
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "blind_mode",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("person_id", sa.String(length=64), nullable=False),
        sa.Column("by_id", sa.String(length=64), nullable=False),
        sa.Column("on", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.Float(precision=53), nullable=False),
        sa.ForeignKeyConstraint(["by_id"], ["person.id"], name=op.f("fk_blind_mode_by_id_person")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_blind_mode_person_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_blind_mode")),
    )
    with op.batch_alter_table("blind_mode", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_blind_mode_person_id"), ["person_id"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("blind_mode", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_blind_mode_person_id"))

    op.drop_table("blind_mode")
