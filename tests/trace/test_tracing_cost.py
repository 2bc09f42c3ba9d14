# SPDX-License-Identifier: GPL-2.0-only
"""The cost of recording calls: with the static timing model it can be subtracted exactly."""

from __future__ import annotations

from pathlib import Path

import pytest

from emu.machine import Machine
from emu.trace import Trace
from emu.trace.function_times import FunctionTime, function_times
from emu.trace.recording import CallCost
from emu.trace.tracing_cost import net_times
from tests.lib.golden import GOLDEN
from tests.lib.trace_dat import Dat, Pages
from tests.trace.test_calls import SYMBOLS, A, B, C, entry, leave

COMMAND = "ls /bin | wc -l; cat /proc/version; ls -l /bin"
# Long functions with many callees. On SPARC V9, tracing causes other register windows to be spilled and filled, so
# there only functions with hardly any callees have the same times.
FUNCTIONS = {
    "x86_64": ["vfs_read", "path_openat", "sys_getdents64", "strncpy_from_user", "filldir64", "_raw_spin_lock"],
    "sparc64": ["filldir64", "_raw_spin_lock"],
    "riscv64": ["vfs_read", "path_openat", "sys_getdents64", "strncpy_from_user", "filldir64", "_raw_spin_lock"],
}


def traced(arch: str, cost: str, functions: list[str]) -> Trace:
    with Machine(arch=arch, timing="static", tracer_cost=cost) as machine:
        machine.tracefs.write("tracing_on", "0")
        machine.tracefs.write("buffer_size_kb", "20000")
        if functions:
            machine.tracefs.write("set_ftrace_filter", " ".join(functions))
        machine.tracefs.write("current_tracer", "function_graph")
        machine.run(COMMAND, trace=True)
        return machine.trace()


def shortest(trace: Trace, *, net: bool) -> dict[str, int | None]:
    return {row.function: row.minimum for row in function_times(trace, net=net)}


@pytest.mark.parametrize("cost", ["none", "linux"])
def test_without_its_cost_a_call_takes_as_long_however_much_is_traced(arch: str, cost: str) -> None:
    everything = traced(arch, cost, [])
    for function in FUNCTIONS[arch][-2:] if cost == "linux" else FUNCTIONS[arch]:  # longer ones are interrupted each time
        alone = traced(arch, cost, [function])
        assert shortest(everything, net=True)[function] == shortest(alone, net=True)[function]
        assert shortest(everything, net=False)[function] != shortest(everything, net=True)[function]


def test_each_call_bears_its_own_cost_and_what_callers_pay(tmp_path: Path) -> None:
    pages = Pages()
    for when, event in [
        (100, entry(A, 0)), (200, entry(B, 1)), (300, entry(C, 2)), (400, leave(C, 2, 300, 400)), (500, leave(B, 1, 200, 500)),
        (600, entry(C, 1)), (700, leave(C, 1, 600, 700)), (900, leave(A, 0, 100, 900)), (950, entry(B, 0)),
    ]:  # fmt: skip
        pages.add(when, event)
    pages.flush()
    (tmp_path / "trace.dat").write_bytes(Dat([pages.data], kallsyms=SYMBOLS).version7())
    calls = Trace.open(tmp_path / "trace.dat").calls
    net = net_times(calls, CallCost(own=7, caller=3))
    assert net.tracing.tolist() == [7 + 2 * 3, 7 + 3, 7, 7, 0]
    assert net.duration.tolist() == [800 - 7 - 3 * 10, 300 - 7 - 10, 100 - 7, 100 - 7, 0]
    assert net.self_time.tolist() == [400 - 13, 200 - 10, 93, 93, 0]
    assert net.duration[0] == net.self_time.tolist()[0] + net.duration[1] + net.duration[3]


def test_where_it_is_not_the_same_for_each_call_nothing_is_known() -> None:
    trace = Trace.open(GOLDEN / "tracecmd-graph.dat")
    assert trace.recording.call_cost is None
    with pytest.raises(ValueError, match="what recording a call costs is not known"):
        function_times(trace, overhead=True)
    assert isinstance(function_times(trace)[0], FunctionTime)
