"""what lies in the store of bytes, and which artefact names it"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = '0004'
down_revision = '0003'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('stored_blob',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=True), nullable=False),
    sa.Column('key', sa.Text(), nullable=False),
    sa.Column('owner_id', sa.BigInteger(), nullable=False),
    sa.Column('sha256', sa.Text(), nullable=False),
    sa.Column('generation', sa.Integer(), nullable=False),
    sa.Column('state', sa.Text(), server_default='present', nullable=False),
    sa.Column('seen_at', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
    sa.CheckConstraint("state IN ('present', 'dying', 'gone')", name='stored_blob_state'),
    sa.ForeignKeyConstraint(['owner_id'], ['owner.id'], name=op.f('fk_stored_blob_owner_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_stored_blob')),
    sa.UniqueConstraint('key', name=op.f('uq_stored_blob_key')),
    sa.UniqueConstraint('owner_id', 'sha256', 'generation', name=op.f('uq_stored_blob_owner_id_sha256_generation'))
    )
    op.create_index('ix_stored_blob_seen', 'stored_blob', ['seen_at'], postgresql_where=sa.text("state <> 'gone'"))
    op.add_column('stage_artifact', sa.Column(
        'blob_keys', postgresql.ARRAY(sa.Text()), server_default=sa.text("'{}'"), nullable=False))
    op.execute("""
    UPDATE stage_artifact SET blob_keys = ARRAY(
      SELECT jsonb_array_elements_text(jsonb_path_query_array(content, '$.**.key ? (@ like_regex "^o/")')))
     WHERE kind IN ('speech', 'audio')
    """)
    op.create_index('ix_stage_artifact_blob_keys', 'stage_artifact', ['blob_keys'], postgresql_using='gin')


def downgrade() -> None:
    op.drop_index('ix_stage_artifact_blob_keys', table_name='stage_artifact')
    op.drop_column('stage_artifact', 'blob_keys')
    op.drop_table('stored_blob')
