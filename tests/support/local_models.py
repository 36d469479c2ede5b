"""The real local models, one host for a whole test module (loading costs seconds)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from pipeline.providers.model_host import ModelHost, command


@pytest.fixture(scope="session")
def model_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest_asyncio.fixture
async def model_host(model_cache: Path) -> AsyncIterator[ModelHost]:
    host = ModelHost(command(model_cache))
    yield host
    await host.close()
