# SPDX-License-Identifier: GPL-2.0-only
"""Modules of emu that import each other, directly or through others. Imports for type checkers count.

Imports in functions do not: they are executed when both modules are there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "emu"
MOST_CYCLES, MOST_FILES = 2, 4


def modules() -> Mapping[str, Path]:
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """What is executed when the module is imported, and what `if TYPE_CHECKING` holds."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.If):
            yield from statements([*statement.body, *statement.orelse])


def imports(path: Path, known: Mapping[str, Path]) -> set[str]:
    found = set()
    for statement in statements(ast.parse(path.read_text()).body):
        if isinstance(statement, ast.ImportFrom) and statement.module in known:
            for name in statement.names:
                inner = f"{statement.module}.{name.name}"
                found.add(inner if inner in known else statement.module)
        elif isinstance(statement, ast.Import):
            found |= {name.name for name in statement.names if name.name in known}
    return found


def cycles(graph: Mapping[str, set[str]]) -> list[set[str]]:
    """The sets of more than one module in which each leads to each."""

    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        todo = [start]
        while todo:
            for following in graph[todo.pop()] - seen:
                seen.add(following)
                todo.append(following)
        return seen

    reach = {name: reached(name) for name in graph}
    found: list[set[str]] = []
    for name in graph:
        together = {other for other in reach[name] if name in reach[other]}
        if together and together not in found:
            found.append(together)
    return found


def test_modules_that_import_each_other_are_few() -> None:
    known = modules()
    found = cycles({name: imports(path, known) - {name} for name, path in known.items()})
    assert len(found) <= MOST_CYCLES and all(len(cycle) <= MOST_FILES for cycle in found), "\n".join(
        ", ".join(sorted(cycle)) for cycle in found
    )


def test_a_cycle_is_found() -> None:
    assert cycles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [{"a", "b", "c"}]
