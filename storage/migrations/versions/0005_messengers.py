"""chats of a messenger: who sends, at what pace, in how many parts; files that are fetched; strangers"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = '0005'
down_revision = '0004'
branch_labels = None
depends_on = None

moment = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.alter_column('chat', 'owner_id', nullable=True)
    op.add_column('chat', sa.Column('grouped', sa.Boolean(), server_default=sa.text('false'), nullable=False))
    op.add_column('chat', sa.Column('next_at', moment, nullable=True))
    op.add_column('chat', sa.Column('blocked_until', moment, nullable=True))
    op.add_column('chat', sa.Column('voice_forbidden', sa.Boolean(), server_default=sa.text('false'), nullable=False))
    op.add_column('chat', sa.Column('deactivated_at', moment, nullable=True))
    op.add_column('chat', sa.Column('refused_at', moment, nullable=True))
    op.create_table('gateway',
    sa.Column('name', sa.Text(), nullable=False),
    sa.Column('fence', sa.BigInteger(), nullable=False),
    sa.Column('lease_until', moment, nullable=False),
    sa.Column('blocked_until', moment, nullable=True),
    sa.Column('next_at', moment, nullable=True),
    sa.PrimaryKeyConstraint('name', name=op.f('pk_gateway'))
    )
    op.add_column('chat_message', sa.Column('head_id', sa.BigInteger(), nullable=True))
    op.add_column('chat_message', sa.Column('part', sa.SmallInteger(), server_default='1', nullable=False))
    op.add_column('chat_message', sa.Column('gone_at', moment, nullable=True))
    op.create_foreign_key(op.f('fk_chat_message_head_id'), 'chat_message', 'chat_message', ['head_id'], ['id'])
    op.create_index('ix_chat_message_ref', 'chat_message', ['chat_id', 'external_ref'],
                    postgresql_where=sa.text('external_ref IS NOT NULL'))
    op.create_index('ix_chat_message_head', 'chat_message', ['head_id', 'part'],
                    postgresql_where=sa.text('head_id IS NOT NULL'))
    op.alter_column('inbox_update', 'chat_id', nullable=True)
    op.add_column('inbox_update', sa.Column('message_ref', sa.Text(), nullable=True))
    op.add_column('inbox_update', sa.Column('album', sa.Text(), nullable=True))
    op.add_column('inbox_update', sa.Column('due_at', moment, nullable=True))
    op.add_column('inbox_update', sa.Column('revision_id', sa.BigInteger(), nullable=True))
    op.create_check_constraint('inbox_chat', 'inbox_update', "chat_id IS NOT NULL OR state = 'set_aside'")
    op.create_index('ix_inbox_update_message', 'inbox_update', ['chat_id', 'message_ref'],
                    postgresql_where=sa.text('message_ref IS NOT NULL'))
    op.create_table('inbox_file',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=True), nullable=False),
    sa.Column('update_id', sa.BigInteger(), nullable=False),
    sa.Column('number', sa.SmallInteger(), nullable=False),
    sa.Column('name', sa.Text(), nullable=False),
    sa.Column('remote', sa.Text(), nullable=True),
    sa.Column('size_bytes', sa.BigInteger(), nullable=True),
    sa.Column('state', sa.Text(), server_default='waiting', nullable=False),
    sa.Column('tries', sa.Integer(), server_default='0', nullable=False),
    sa.Column('due_at', moment, server_default=sa.text('now()'), nullable=False),
    sa.Column('blob_key', sa.Text(), nullable=True),
    sa.Column('sha256', sa.Text(), nullable=True),
    sa.Column('reason', sa.Text(), nullable=True),
    sa.CheckConstraint("state IN ('waiting', 'kept', 'failed')", name='inbox_file_state'),
    sa.CheckConstraint("(state = 'kept') = (blob_key IS NOT NULL)", name='inbox_file_bytes'),
    sa.ForeignKeyConstraint(['update_id'], ['inbox_update.id'], name=op.f('fk_inbox_file_update_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_inbox_file')),
    sa.UniqueConstraint('update_id', 'number', name=op.f('uq_inbox_file_update_id_number'))
    )
    op.create_index('ix_inbox_file_waiting', 'inbox_file', ['due_at'], postgresql_where=sa.text("state = 'waiting'"))
    op.create_index(op.f('ix_inbox_file_blob_key'), 'inbox_file', ['blob_key'])
    op.add_column('outbox_message', sa.Column('rank', sa.SmallInteger(), server_default='1', nullable=False))
    op.add_column('outbox_message', sa.Column('fence', sa.BigInteger(), nullable=True))
    op.add_column('outbox_message', sa.Column('tries', sa.Integer(), server_default='0', nullable=False))
    op.add_column('outbox_message', sa.Column('parent_id', sa.BigInteger(), nullable=True))
    op.add_column('outbox_message', sa.Column('part', sa.SmallInteger(), server_default='1', nullable=False))
    op.add_column('outbox_message', sa.Column('parts', sa.SmallInteger(), server_default='1', nullable=False))
    op.add_column('outbox_message', sa.Column('payload', postgresql.JSONB(), nullable=True))
    op.add_column('outbox_message', sa.Column('message_id', sa.BigInteger(), nullable=True))
    op.create_foreign_key(op.f('fk_outbox_message_parent_id'), 'outbox_message', 'outbox_message', ['parent_id'], ['id'])
    op.create_index('ix_outbox_message_parts', 'outbox_message', ['parent_id', 'part'],
                    postgresql_where=sa.text('parent_id IS NOT NULL'))
    op.execute("UPDATE outbox_message SET rank = 4 WHERE class = 'progress' AND state = 'queued'")


def downgrade() -> None:
    op.drop_index('ix_outbox_message_parts', table_name='outbox_message')
    for column in ('message_id', 'payload', 'parts', 'part', 'parent_id', 'tries', 'fence', 'rank'):
        op.drop_column('outbox_message', column)
    op.drop_table('inbox_file')
    op.drop_index('ix_inbox_update_message', table_name='inbox_update')
    op.drop_constraint('inbox_chat', 'inbox_update')
    for column in ('revision_id', 'due_at', 'album', 'message_ref'):
        op.drop_column('inbox_update', column)
    op.alter_column('inbox_update', 'chat_id', nullable=False)
    op.drop_index('ix_chat_message_head', table_name='chat_message')
    op.drop_index('ix_chat_message_ref', table_name='chat_message')
    for column in ('gone_at', 'part', 'head_id'):
        op.drop_column('chat_message', column)
    op.drop_table('gateway')
    for column in ('refused_at', 'deactivated_at', 'voice_forbidden', 'blocked_until', 'next_at', 'grouped'):
        op.drop_column('chat', column)
    op.alter_column('chat', 'owner_id', nullable=False)
