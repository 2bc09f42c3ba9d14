# SPDX-License-Identifier: GPL-2.0-only
"""The walks of docs/how-a-call-is-traced.md: the functions they name are called in that order, and no call goes to a higher layer
except those that the document marks."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import pytest

from emu.machine import Machine
from tests.lib.booted_machine import booted_machine

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "how-a-call-is-traced.md"
ROOMS = ("native", "parameters", "cpu", "guest_machine", "kernel", "ftrace", "machine", "cli")  # the lowest first
STEP = re.compile(r"^    (?P<function>[\w.]+) +(?P<path>\w[\w/]*\.py)(?: +(?P<remark>.+))?$", re.MULTILINE)


class Step(NamedTuple):
    """A line of a walk."""

    function: str
    path: str
    remark: str

    @property
    def native(self) -> bool:
        return self.remark.startswith("native")

    @property
    def up(self) -> bool:
        return "up:" in self.remark


def steps(title: str) -> list[Step]:
    """The walk under a heading."""
    text = DOCUMENT.read_text().split(f"### {title}\n")[1].split("\n### ")[0]
    return [Step(match["function"], match["path"], match["remark"] or "") for match in STEP.finditer(text)]


def walked(action: Callable[[], Any]) -> tuple[list[tuple[str, str]], set[str]]:
    """(function, path) of all of emu's calls during an action, and the functions that were called from a lower layer."""
    calls: list[tuple[str, str]] = []
    risen: set[str] = set()
    package = str(ROOT / "emu") + "/"

    def path_of(frame: FrameType) -> str:
        name = frame.f_code.co_filename
        return name.removeprefix(package) if name.startswith(package) else ""

    def room(path: str) -> int:
        return ROOMS.index(path.split("/")[0].removesuffix(".py"))

    def note(frame: FrameType, event: str, argument: object) -> None:
        path = path_of(frame)
        if event != "call" or not path:
            return
        calls.append((frame.f_code.co_qualname, path))
        caller = frame.f_back
        while caller is not None and not path_of(caller):
            caller = caller.f_back
        if caller is not None and room(path) > room(path_of(caller)):
            risen.add(frame.f_code.co_qualname)

    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(None)
    return calls, risen


def follows(walk: list[Step], calls: list[tuple[str, str]]) -> Iterator[str]:
    """The steps that were not called after the ones before them."""
    rest = iter(calls)
    for step in walk:
        if not step.native and (step.function, step.path) not in rest:
            yield f"{step.function} ({step.path})"


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    with booted_machine("x86_64") as booted:
        booted.tracefs.write("current_tracer", "function")
        yield booted


def check(title: str, action: Callable[[], Any], allowed: set[str]) -> None:
    walk = steps(title)
    assert len(walk) > 10
    calls, risen = walked(action)
    assert list(follows(walk, calls)) == []
    assert risen - allowed == {step.function for step in walk if step.up and not step.native}


# Functions passed down: whether the machine is open, or may be changed; to run it; the number of patch runs
ASKED = {"Running.check_open", "Running.changing", "Running.updates", "Running.settle", "Machine.__init__.<locals>.<lambda>"}
# Native code, which Python calls through emu.native, calls Python.
HANDLER = {"Board.python_handler.<locals>.call"}
# Other operations of the file interface.
FILES = {"StaticDirectory.lookup", "_ModeNode.attributes", "ArrayHandle.release"}


@pytest.mark.static_timing("where CPUs stand when a site is patched depends on times")
def test_a_filter_write(machine: Machine) -> None:
    check("From a filter write to a patched site", lambda: machine.tracefs.write("set_ftrace_filter", "vfs_read"), ASKED)


def test_a_traced_call(machine: Machine) -> None:
    machine.run("cat /proc/version")
    check("From a traced call to its line of text", lambda: machine.tracefs.read("trace"), ASKED)


def test_a_read_in_the_guest(machine: Machine) -> None:
    allowed = ASKED | FILES | HANDLER
    check("A read of `trace` in the guest", lambda: machine.run("cat /sys/kernel/tracing/trace > /dev/null"), allowed)


def test_native_steps_are_where_the_document_says() -> None:
    native = [step for step in steps("From a traced call to its line of text") if step.native]
    assert len(native) > 5
    for step in native:
        assert f"def {step.function}(" in (ROOT / "emu" / step.path).read_text(), step
