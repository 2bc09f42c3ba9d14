# SPDX-License-Identifier: GPL-2.0-only
"""Backtraces do not depend on which addresses are probed when the first one is made."""

from __future__ import annotations

import ctypes
from contextlib import suppress

from emu.ftrace.errors import TraceError
from emu.ftrace.probes.placing import ProbePlace
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine
from tests.lib.counting_probes import probe

_FUNCTION = "vfs_read"


def places(machine: Machine) -> list[ProbePlace]:
    """All places in the function where a breakpoint is possible."""
    begin, found = machine.kernel.image.symbol(_FUNCTION), []
    function = machine.kernel.image.function_at(begin)
    assert function is not None
    for address in range(begin + 1, begin + function.size):
        with suppress(TraceError):
            machine.ftrace.kprobes.check(place := ProbePlace(address=address))
            found.append(place)
    return found


def test_where_functions_have_no_frame_is_learned_in_spite_of_breakpoints(arch: str) -> None:
    learned = []
    for probed in (False, True):
        with booted_machine(arch) as machine:
            begin, probed_places = machine.kernel.image.symbol(_FUNCTION), places(machine)
            if probed:
                probe(machine, *probed_places)
            shared = machine.trace_array.recorder.globals
            shared.stacks.use()
            table = shared.records.top.frameless.address + begin - machine.board.arch.kernel_map
            function = machine.kernel.image.function_at(begin)
            assert function is not None
            learned.append(ctypes.string_at(table, function.size))
    assert learned[0] == learned[1]
    assert any(learned[0])

