"""The web face, closed after each test."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from tests.support.web import Face, face


@pytest.fixture
async def web(engine: AsyncEngine) -> AsyncIterator[Face]:
    made = face(engine)
    yield made
    await made.close()
