"""items of benchmarks: what is asked, and what is right

Revision ID: 0010
Revises: 0009
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "benchmark_item",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("video_id", sa.String(length=64), nullable=False),
        sa.Column("dataset_id", sa.String(length=64), nullable=False),
        sa.Column("task", sa.String(length=64), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("index", sa.BigInteger(), nullable=False),
        sa.Column("value", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("created_at", sa.Float(precision=53), nullable=False),
        sa.ForeignKeyConstraint(
            ["dataset_id"], ["dataset.id"], name=op.f("fk_benchmark_item_dataset_id_dataset")
        ),
        sa.ForeignKeyConstraint(["video_id"], ["video.id"], name=op.f("fk_benchmark_item_video_id_video")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_benchmark_item")),
    )
    with op.batch_alter_table("benchmark_item", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_benchmark_item_dataset_id"), ["dataset_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_benchmark_item_video_id"), ["video_id"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("benchmark_item", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_benchmark_item_video_id"))
        batch_op.drop_index(batch_op.f("ix_benchmark_item_dataset_id"))

    op.drop_table("benchmark_item")
