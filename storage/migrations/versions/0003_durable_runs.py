"""delivery leases, call budgets, plans"""

import sqlalchemy as sa
from alembic import op

revision = '0003'
down_revision = '0002'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('generation_run', sa.Column('delivered_until', sa.DateTime(timezone=True), nullable=True))
    op.add_column('generation_run', sa.Column('calls_used', sa.Integer(), server_default='0', nullable=False))
    op.add_column('generation_run', sa.Column('calls_limit', sa.Integer(), server_default='60', nullable=False))
    op.drop_index('ix_generation_run_due', table_name='generation_run')
    op.create_index('ix_generation_run_due', 'generation_run', ['next_due_at', 'id'], unique=False,
                    postgresql_where=sa.text("state IN ('QUEUED', 'RETRY_WAIT')"))
    op.create_index('ix_generation_run_lapsed', 'generation_run', ['expires_at', 'id'], unique=False,
                    postgresql_where=sa.text("state = 'RUNNING'"))
    op.create_index('ix_generation_run_deferred', 'generation_run', ['next_due_at', 'id'], unique=False,
                    postgresql_where=sa.text("state = 'DEFERRED'"))
    op.create_table('daily_plan',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=True), nullable=False),
    sa.Column('owner_id', sa.BigInteger(), nullable=False),
    sa.Column('local_date', sa.Date(), nullable=False),
    sa.Column('budget_ms', sa.Integer(), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False),
    sa.ForeignKeyConstraint(['owner_id'], ['owner.id'], name=op.f('fk_daily_plan_owner_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_daily_plan')),
    sa.UniqueConstraint('owner_id', 'local_date', name=op.f('uq_daily_plan_owner_id_local_date'))
    )
    op.create_table('plan_item',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=True), nullable=False),
    sa.Column('plan_id', sa.BigInteger(), nullable=False),
    sa.Column('episode_id', sa.BigInteger(), nullable=False),
    sa.Column('revision_id', sa.BigInteger(), nullable=False),
    sa.Column('state', sa.Text(), nullable=False),
    sa.Column('duration_ms', sa.Integer(), nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False),
    sa.CheckConstraint("state IN ('reserved', 'settled', 'published', 'released')", name='plan_item_state'),
    sa.CheckConstraint('duration_ms > 0', name='plan_item_duration'),
    sa.ForeignKeyConstraint(['episode_id'], ['episode.id'], name=op.f('fk_plan_item_episode_id')),
    sa.ForeignKeyConstraint(['plan_id'], ['daily_plan.id'], name=op.f('fk_plan_item_plan_id')),
    sa.ForeignKeyConstraint(['revision_id'], ['episode_revision.id'], name=op.f('fk_plan_item_revision_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_plan_item')),
    sa.UniqueConstraint('plan_id', 'episode_id', name=op.f('uq_plan_item_plan_id_episode_id'))
    )


def downgrade() -> None:
    op.drop_table('plan_item')
    op.drop_table('daily_plan')
    for name in ('due', 'lapsed', 'deferred'):
        op.drop_index(f'ix_generation_run_{name}', table_name='generation_run')
    op.create_index('ix_generation_run_due', 'generation_run', ['next_due_at'], unique=False,
                    postgresql_where=sa.text("state IN ('DEFERRED', 'QUEUED', 'RETRY_WAIT', 'RUNNING')"))
    for name in ('calls_limit', 'calls_used', 'delivered_until'):
        op.drop_column('generation_run', name)
