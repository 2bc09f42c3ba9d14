# SPDX-License-Identifier: GPL-2.0-only
"""What the modules of emu import: few import each other, and none imports from a higher layer.

Imports in functions and for type checkers count.
"""

from __future__ import annotations

import functools
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from emu.native.cache import imported

PACKAGE = Path(__file__).resolve().parent.parent / "emu"
MOST_CYCLES, MOST_FILES = 1, 3  # the board and its CPUs
# The lowest layer first; emu itself is above all.
ROOMS = (
    "architectures", "installation", "parameters", "native", "cpu", "guest_machine", "kernel", "history", "gdb", "ftrace",
    "machine_config", "trace", "campaign", "linux", "machine", "mount", "race", "tour", "port", "cli",
)  # fmt: skip


# What the files of a port that has just begun import, to say what is missing. Such modules import from the lowest rooms only.
BEGUN = {f"emu.port.{name}" for name in ("stub", "finished", "seam", "declarations")}


@functools.cache
def graph() -> Mapping[str, set[str]]:
    """The other modules of emu that each one imports."""
    texts = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        texts[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path.read_text()
    found: dict[str, set[str]] = {}
    for module, text in texts.items():
        named = imported(text.replace("if TYPE_CHECKING:\n", "if True:\n"))  # else it leaves these imports out
        those = {inner if (inner := f"{outer}.{name}") in texts else outer for outer, name in named}
        found[module] = those & texts.keys() - {module}
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
    found = cycles(graph())
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
    assert set(ROOMS) <= {name.removeprefix("emu.") for name in graph()}
    arrows = ((name, found) for name, imports in graph().items() for found in imports)
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
