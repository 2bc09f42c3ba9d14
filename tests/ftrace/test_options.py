# SPDX-License-Identifier: GPL-2.0-only
"""Options: the effects of writing their names (tracefs/test_whole_tree.py compares names and defaults with a real kernel)."""

from __future__ import annotations

import errno

import pytest

from emu.ftrace.arrays.options import CORE_OPTIONS, Options, parse_option
from emu.ftrace.errors import TraceError
from emu.machine import Machine


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
