"""what a merged caption was joined from

Revision ID: 0007
Revises: 0006
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "merged_caption",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("video_id", sa.String(length=64), nullable=False),
        sa.Column("person_id", sa.String(length=64), nullable=False),
        sa.Column("text_id", sa.String(length=64), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("parts", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("created_at", sa.Float(precision=53), nullable=False),
        sa.ForeignKeyConstraint(
            ["person_id"], ["person.id"], name=op.f("fk_merged_caption_person_id_person")
        ),
        sa.ForeignKeyConstraint(["text_id"], ["text.id"], name=op.f("fk_merged_caption_text_id_text")),
        sa.ForeignKeyConstraint(["video_id"], ["video.id"], name=op.f("fk_merged_caption_video_id_video")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_merged_caption")),
    )
    with op.batch_alter_table("merged_caption", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_merged_caption_person_id"), ["person_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_merged_caption_text_id"), ["text_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_merged_caption_video_id"), ["video_id"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("merged_caption", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_merged_caption_video_id"))
        batch_op.drop_index(batch_op.f("ix_merged_caption_text_id"))
        batch_op.drop_index(batch_op.f("ix_merged_caption_person_id"))

    op.drop_table("merged_caption")
