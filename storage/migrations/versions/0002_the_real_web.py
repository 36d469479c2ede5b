"""links, captures, pictures, recognised pages, cues"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = '0002'
down_revision = '0001'
branch_labels = None
depends_on = None

INPUT_TYPES = "'html', 'pdf', 'markdown', 'text', 'paste', 'image', 'epub', 'docx', 'subtitle', 'link'"


def upgrade() -> None:
    op.drop_constraint('source_input_type', 'source')
    op.create_check_constraint('source_input_type', 'source', f'input_type IN ({INPUT_TYPES})')
    op.drop_constraint('run_kind', 'generation_run')
    op.create_check_constraint('run_kind', 'generation_run', "kind IN ('INTAKE', 'GENERATE', 'REFRESH')")
    op.alter_column('source', 'blob_key', nullable=True)
    op.alter_column('source', 'raw_sha256', nullable=True)
    op.alter_column('source', 'size_bytes', nullable=True)
    op.add_column('source', sa.Column('address_key', sa.Text(), nullable=True))
    op.add_column('source', sa.Column('hint', sa.Text(), nullable=True))
    op.add_column('source', sa.Column('capture_id', sa.BigInteger(), nullable=True))
    op.create_check_constraint(
        'source_bytes', 'source',
        "input_type = 'link' OR (blob_key IS NOT NULL AND raw_sha256 IS NOT NULL AND size_bytes IS NOT NULL)",
    )
    op.create_check_constraint('source_address', 'source', "input_type <> 'link' OR origin IS NOT NULL")
    for name in ('page_labels', 'recognised', 'boxes', 'cues', 'attachments'):
        op.add_column('source_version', sa.Column(
            name, postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'[]'"), nullable=False))
    op.add_column('source_version', sa.Column('main_sha256', sa.Text(), server_default='', nullable=False))
    op.create_table('source_capture',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=True), nullable=False),
    sa.Column('source_id', sa.BigInteger(), nullable=False),
    sa.Column('owner_id', sa.BigInteger(), nullable=False),
    sa.Column('way', sa.Text(), nullable=False),
    sa.Column('input_type', sa.Text(), nullable=False),
    sa.Column('address', sa.Text(), nullable=True),
    sa.Column('final_address', sa.Text(), nullable=True),
    sa.Column('redirects', postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'[]'"), nullable=False),
    sa.Column('status', sa.Integer(), nullable=True),
    sa.Column('media_type', sa.Text(), nullable=True),
    sa.Column('charset', sa.Text(), nullable=True),
    sa.Column('robots', sa.Text(), nullable=True),
    sa.Column('etag', sa.Text(), nullable=True),
    sa.Column('last_modified', sa.Text(), nullable=True),
    sa.Column('blob_key', sa.Text(), nullable=False),
    sa.Column('raw_sha256', sa.Text(), nullable=False),
    sa.Column('size_bytes', sa.BigInteger(), nullable=False),
    sa.Column('version_id', sa.BigInteger(), nullable=True),
    sa.Column('captured_at', sa.DateTime(timezone=True), nullable=False),
    sa.CheckConstraint("way IN ('fetched', 'pasted', 'uploaded', 'unlocked')", name='source_capture_way'),
    sa.ForeignKeyConstraint(['owner_id'], ['owner.id'], name=op.f('fk_source_capture_owner_id')),
    sa.ForeignKeyConstraint(['source_id'], ['source.id'], name=op.f('fk_source_capture_source_id')),
    sa.ForeignKeyConstraint(['version_id'], ['source_version.id'], name=op.f('fk_source_capture_version_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_source_capture'))
    )
    op.create_index('ix_source_capture_source', 'source_capture', ['source_id'], unique=False)
    op.create_table('source_asset',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=True), nullable=False),
    sa.Column('version_id', sa.BigInteger(), nullable=False),
    sa.Column('owner_id', sa.BigInteger(), nullable=False),
    sa.Column('seq', sa.Integer(), nullable=False),
    sa.Column('at', sa.Integer(), nullable=False),
    sa.Column('address', sa.Text(), nullable=False),
    sa.Column('alt', sa.Text(), nullable=False),
    sa.Column('state', sa.Text(), nullable=False),
    sa.Column('tries', sa.Integer(), server_default='0', nullable=False),
    sa.Column('due_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False),
    sa.Column('error', sa.Text(), nullable=True),
    sa.Column('media_type', sa.Text(), nullable=True),
    sa.Column('blob_key', sa.Text(), nullable=True),
    sa.Column('sha256', sa.Text(), nullable=True),
    sa.Column('size_bytes', sa.BigInteger(), nullable=True),
    sa.CheckConstraint("(state = 'stored') = (blob_key IS NOT NULL)", name='source_asset_stored'),
    sa.CheckConstraint("state IN ('waiting', 'stored', 'failed')", name='source_asset_state'),
    sa.ForeignKeyConstraint(['owner_id'], ['owner.id'], name=op.f('fk_source_asset_owner_id')),
    sa.ForeignKeyConstraint(['version_id'], ['source_version.id'], name=op.f('fk_source_asset_version_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_source_asset')),
    sa.UniqueConstraint('version_id', 'seq', name=op.f('uq_source_asset_version_id_seq'))
    )
    op.create_index('ix_source_asset_waiting', 'source_asset', ['due_at'], unique=False,
                    postgresql_where=sa.text("state = 'waiting'"))


def downgrade() -> None:
    op.drop_table('source_asset')
    op.drop_table('source_capture')
    for name in ('page_labels', 'recognised', 'boxes', 'cues', 'attachments', 'main_sha256'):
        op.drop_column('source_version', name)
    op.drop_constraint('source_address', 'source')
    op.drop_constraint('source_bytes', 'source')
    for name in ('address_key', 'hint', 'capture_id'):
        op.drop_column('source', name)
    for name in ('blob_key', 'raw_sha256', 'size_bytes'):
        op.alter_column('source', name, nullable=False)
    op.drop_constraint('run_kind', 'generation_run')
    op.create_check_constraint('run_kind', 'generation_run', "kind IN ('INTAKE', 'GENERATE')")
    op.drop_constraint('source_input_type', 'source')
    op.create_check_constraint('source_input_type', 'source',
                               "input_type IN ('html', 'pdf', 'markdown', 'text', 'paste')")
