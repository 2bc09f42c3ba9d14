# SPDX-License-Identifier: GPL-2.0-only
"""Options: names, defaults and order are those of a real kernel."""

from __future__ import annotations

import errno
import re
from pathlib import Path

import pytest

from emu.ftrace.errors import TraceError
from emu.ftrace.options import CORE_OPTIONS, Options, parse_option
from emu.ftrace.tracers import TRACERS
from emu.machine import Machine

GOLDEN = Path(__file__).parent.parent / "golden"


def golden_options(tracer: str) -> list[str]:
    """What trace_options of Linux 6.1 held just after `tracer` was set."""
    text = (GOLDEN / "per-tracer-options-and-headers.txt").read_text()
    match = re.search(rf"^== {tracer}\n(.*?)^-- header", text, re.MULTILINE | re.DOTALL)
    assert match
    return match[1].split()


@pytest.mark.parametrize("tracer", sorted(TRACERS.keys() - {"branch", "mmiotrace"}))  # the golden has no list of these
def test_options_stand_in_linux_order_with_linux_defaults(tracer: str) -> None:
    names = [option.name for option in (*CORE_OPTIONS, *TRACERS[tracer].options) if option.name != "branch"]
    options = Options([*CORE_OPTIONS, *TRACERS[tracer].options])
    for name in getattr(TRACERS[tracer], "needs", ()):  # a latency tracer has turned them on
        options.set(name, True)
    ours = options.lines(names)
    assert ours == [line for line in golden_options(tracer) if parse_option(line)[0] in names]


def test_function_graph_has_all_of_its_options() -> None:
    theirs = {parse_option(line)[0] for line in golden_options("function_graph")}
    theirs -= {parse_option(line)[0] for line in golden_options("function")}
    assert theirs == {option.name for option in TRACERS["function_graph"].options}


def test_an_unknown_option_is_refused() -> None:
    options = Options(CORE_OPTIONS)
    with pytest.raises(TraceError) as error:
        options.set("bogus", True)
    assert error.value.errno == errno.EINVAL
    assert "bogus" not in options


@pytest.mark.parametrize(
    ("text", "meaning"),
    [("markers\n", ("markers", True)), ("nomarkers", ("markers", False)), ("nosleep-time", ("sleep-time", False))],
)
def test_no_turns_off(text: str, meaning: tuple[str, bool]) -> None:
    assert parse_option(text) == meaning


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("nonsense", "tracer 'nop' has no option 'nonsense'"),
        ("nofuncgraph-irqs", "tracer 'nop' has no option 'funcgraph-irqs'; function_graph has it"),
        ("nosym_offset", "tracer 'nop' has no option 'nosym_offset'; did you mean sym-offset?"),
    ],
)
def test_an_option_that_the_tracer_does_not_have(machine: Machine, text: str, why: str) -> None:
    with pytest.raises(TraceError) as error:
        machine.tracefs.write("trace_options", text)
    assert error.value.why == why
