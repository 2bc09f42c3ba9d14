# SPDX-License-Identifier: GPL-2.0-only
"""Native code reads like its documents: typed, in short functions, with names for fields instead of small numbers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "emu"
NATIVE = sorted(PACKAGE.glob("**/native/**/*.py"))
MOST_LINES, MOST_PARAMETERS, MOST_ANY = 60, 8, 60
MECHANISM = ("functions.py", "access.py", "records.py", "cache.py", "__init__.py")  # of emu/native: the interface to numba


def functions() -> Iterator[tuple[str, ast.FunctionDef]]:
    for path in NATIVE:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                yield f"{path.relative_to(PACKAGE)}: {node.name}", node


def is_builder(node: ast.FunctionDef) -> bool:
    """Whether a function contains others, which it compiles."""
    return any(isinstance(inner, ast.FunctionDef) for inner in node.body)


def test_functions_are_short() -> None:
    long = {name: node.end_lineno - node.lineno for name, node in functions() if node.end_lineno and not is_builder(node)}
    assert {name: lines for name, lines in long.items() if lines > MOST_LINES} == {}


def test_functions_have_few_parameters() -> None:
    counts = {name: len(node.args.args) for name, node in functions()}
    assert {name: count for name, count in counts.items() if count > MOST_PARAMETERS} == {}


def test_native_code_names_fields_and_no_small_numbers() -> None:
    names = r"\b(?:load|store)_[ui](?:8|16|32|64)\b|\bFields\(|\b_?(?:ZERO|ONE|TWO|FOUR)\b|\bnp\.u?int64\("
    old = re.compile(names, re.MULTILINE)
    found = {str(path.relative_to(PACKAGE)): old.findall(path.read_text()) for path in NATIVE if path.name not in MECHANISM}
    assert {path: names for path, names in found.items() if names} == {}


def test_any_is_rare() -> None:
    files = [path for path in PACKAGE.glob("**/*.py") if path.parent != PACKAGE / "native"]
    found = {str(path.relative_to(PACKAGE)): len(re.findall(r"\bAny\b", path.read_text())) for path in files}
    assert sum(found.values()) <= MOST_ANY, {path: count for path, count in found.items() if count}
