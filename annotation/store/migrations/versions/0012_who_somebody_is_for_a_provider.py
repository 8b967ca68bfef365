"""who somebody is for an OpenID provider

Revision ID: 0012
Revises: 0011
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "identity",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("person_id", sa.String(length=64), nullable=False),
        sa.Column("issuer", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Float(precision=53), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_identity_person_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_identity")),
        sa.UniqueConstraint("issuer", "subject", name=op.f("uq_identity_issuer_subject")),
    )
    with op.batch_alter_table("identity", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_identity_person_id"), ["person_id"], unique=False)


def downgrade() -> None:
    op.drop_table("identity")
