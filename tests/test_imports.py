# SPDX-License-Identifier: GPL-2.0-only
"""What the modules of emu import: few import each other, and none imports from a higher layer.

Imports in functions and for type checkers count.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "emu"
MOST_CYCLES, MOST_FILES = 2, 3
# The lowest layer first; emu itself is above all.
ROOMS = (
    "architectures", "installation", "parameters", "native", "cpu", "guest_machine", "kernel", "history", "gdb", "ftrace",
    "machine_config", "trace", "campaign", "linux", "machine", "mount", "race", "tour", "port", "cli",
)  # fmt: skip


# What the files of a port that has just begun import, to say what is missing. Such modules import from the lowest rooms only.
BEGUN = {f"emu.port.{name}" for name in ("stub", "finished", "seam", "declarations")}


def modules() -> Mapping[str, Path]:
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(found_in: Iterable[ast.AST], known: Mapping[str, Path]) -> set[str]:
    """The modules of emu named by import statements."""
    found = set()
    for statement in found_in:
        if isinstance(statement, ast.ImportFrom) and statement.module in known:
            for name in statement.names:
                inner = f"{statement.module}.{name.name}"
                found.add(inner if inner in known else statement.module)
        elif isinstance(statement, ast.Import):
            found |= {name.name for name in statement.names if name.name in known}
    return found


def cycles(graph: Mapping[str, set[str]]) -> list[set[str]]:
    """The sets of more than one module in which every module imports every other, directly or not."""

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
    trees = {name: ast.parse(path.read_text()) for name, path in known.items()}
    found = cycles({name: imports(ast.walk(tree), known) - {name} for name, tree in trees.items()})
    assert len(found) <= MOST_CYCLES and all(len(cycle) <= MOST_FILES for cycle in found), "\n".join(
        ", ".join(sorted(cycle)) for cycle in found
    )


def height(module: str) -> int:
    """The index of a module's layer; a module in none is above all."""
    if module in BEGUN:
        return ROOMS.index("installation")
    _, *room = module.split(".")[:2]
    return ROOMS.index(room[0]) if room and room[0] in ROOMS else len(ROOMS)


def test_no_module_imports_from_a_higher_room() -> None:
    known = modules()
    assert set(ROOMS) <= {name.removeprefix("emu.") for name in known}
    arrows = ((name, found) for name, path in known.items() for found in imports(ast.walk(ast.parse(path.read_text())), known))
    assert [(name, found) for name, found in arrows if height(found) > height(name)] == []


def test_a_cycle_is_found() -> None:
    assert cycles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [{"a", "b", "c"}]


def test_a_machine_that_nobody_probes_loads_nothing_for_probes() -> None:
    """Nor for histograms, for events defined at run time, or for live patches' assembler."""
    script = "import sys, emu.machine, emu.ftrace.arch.x86_64; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    few = re.compile(
        r"emu\.ftrace\.(hist|probes\.(host_probes|uprobes)|sites\.assembler|dynevent\..*_events?|text\.(probe_event|synthetic))\b"
    )
    native = re.compile(r"emu\.ftrace\.native\.(fetch|kprobe|rethook|hist|hist_actions|synthetic|redirect|arch\.x86_64_\w+)$")
    found = [name for name in loaded if few.match(name) or native.match(name) or name.endswith("_probing") or name == "keystone"]
    assert found == ["emu.ftrace.dynevent.dyn_event"]
