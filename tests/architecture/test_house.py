"""README, settings, transactions and modules are as the house rules say."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from pipeline.settings import Settings
from storage.locks import Lock

ROOT = Path(__file__).parents[2]
SOURCES = sorted(p for top in ("bot", "pipeline", "storage", "eval") for p in (ROOT / top).rglob("*.py"))
TRANSACTIONS = sorted(p for p in (ROOT / "storage/transactions").rglob("*.py") if p.name != "__init__.py")
FORBIDDEN = {"util", "utils", "helper", "helpers", "common", "base", "misc", "manager", "service", "processor"}


def test_every_setting_is_in_the_readme():
    readme = (ROOT / "README.md").read_text()
    missing = [name for name in Settings.model_fields if f"`{name.upper()}`" not in readme]
    assert missing == []


def test_every_setting_is_in_the_example():
    example = (ROOT / ".env.example").read_text()
    assert [n for n in Settings.model_fields if f"{n.upper()}=" not in example and n != "crash_at"] == []


def test_the_readme_tree_names_every_folder():
    readme = (ROOT / "README.md").read_text()
    folders = [p.name for top in ("bot", "pipeline", "storage", "eval") for p in (ROOT / top).iterdir() if p.is_dir()]
    assert [f for f in folders if f != "__pycache__" and f"{f}/" not in readme] == []


@pytest.mark.parametrize("path", TRANSACTIONS, ids=lambda p: str(p.relative_to(ROOT / "storage/transactions")))
def test_a_transaction_names_its_locks_in_order(path):
    doc = ast.get_docstring(ast.parse(path.read_text())) or ""
    assert "Locks:" in doc
    line = doc.split("Locks:")[1].split("Idempotent:")[0].split("\n\n")[0]
    named = [Lock[word] for word in re.findall(r"\b[A-Z_]{3,}\b", line) if word in Lock.__members__]
    if "``" not in line:  # a file of several transactions names each one's locks by itself
        assert named == sorted(named)


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_module_is_small_and_named_by_its_noun(path):
    assert len(path.read_text().splitlines()) <= 500
    assert path.stem not in FORBIDDEN
    if path.name == "__init__.py":
        body = ast.parse(path.read_text()).body
        assert all(isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) for node in body)


def test_only_settings_reads_the_environment():
    readers = [str(p.relative_to(ROOT)) for p in SOURCES if re.search(r"\bos\.(environ|getenv)\b", p.read_text())]
    assert readers == ["eval/simulators/product.py"]  # which hands its environment on to the product it starts


def test_broad_excepts_stand_where_they_are_allowed():
    """Style C.2: the worker loop and the handler border; each logs and parks."""
    found = [
        str(p.relative_to(ROOT)) for p in SOURCES if re.search(r"except (Base)?Exception\b|except:", p.read_text())
    ]
    assert found == ["bot/inbox.py"]
