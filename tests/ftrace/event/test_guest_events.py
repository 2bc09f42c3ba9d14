# SPDX-License-Identifier: GPL-2.0-only
"""The print fmts of the guest's own events."""

from __future__ import annotations

import re

from emu import Machine
from emu.ftrace.event.call import EventKind
from emu.ftrace.event.print_fmt import compile_print_fmt
from emu.ftrace.text import render_trace


def test_every_print_fmt_can_be_used(machine: Machine) -> None:
    view = machine.trace_array.trace_view(None)
    calls = [call for call in view.calls.values() if call.kind is EventKind.TRACEPOINT]
    assert len(calls) > 50
    for call in calls:
        compile_print_fmt(call, view.kernel_values, view.kernel_constants)


def test_each_line_of_all_events_is_an_events(machine: Machine) -> None:
    array = machine.trace_array
    calls = [call for call in array.recorder.globals.events.values() if call.kind is not EventKind.FTRACE]
    array.enable_events(calls, True)
    try:
        machine.run("ls / | sed s/a/b/; echo text > /tmp/file; rm /tmp/file")
    finally:
        array.enable_events(calls, False)
    lines = "".join(render_trace(array.trace_view(None))).splitlines()
    bodies = [line.partition(": ")[2] for line in lines if line and not line.startswith("#")]  # vm_unmapped_area ends its own
    names = "|".join(sorted({call.name for call in calls if call.kind is EventKind.TRACEPOINT}, key=len, reverse=True))
    for body in bodies:
        assert re.match(rf"({names}): |sys_\w+(\(.*\)| -> 0x[0-9a-f]+)$", body), body
        assert "UNSAFE-MEMORY" not in body
    assert len({body.partition(":")[0] for body in bodies}) > 20
