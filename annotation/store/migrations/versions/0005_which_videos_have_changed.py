"""which videos have changed, in order, so that lists are renewed for those alone

Revision ID: 0005
Revises: 0004
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "video_change",
        sa.Column("video_id", sa.String(length=64), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("video_id", name=op.f("pk_video_change")),
    )
    with op.batch_alter_table("video_change", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_video_change_number"), ["number"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("video_change", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_video_change_number"))

    op.drop_table("video_change")
