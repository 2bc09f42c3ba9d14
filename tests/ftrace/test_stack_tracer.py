# SPDX-License-Identifier: GPL-2.0-only
"""The stack tracer keeps the deepest stack."""

from __future__ import annotations

import itertools
import re

import pytest
import unicorn

from emu.ftrace.errors import TraceError
from emu.machine import Machine
from tests.lib.arches import FACTS
from tests.lib.booted_machine import booted_machine
from tests.lib.golden import read_golden

ENABLED = "/proc/sys/kernel/stack_tracer_enabled"
GRAPH = {"x86_64": "ftrace_graph_caller", "sparc64": "prepare_ftrace_return", "riscv64": "ftrace_graph_caller"}
BIAS = {"x86_64": 0, "sparc64": 2047, "riscv64": 0}  # from a frame's value to its address
LINE = re.compile(r" *(\d+)\) +(\d+) +(\d+)   (\S+(?: \[\w+\])?)")
DISABLED = """#
#  Stack tracer disabled
#
# To enable the stack tracer, either add 'stacktrace' to the
# kernel command line
# or 'echo 1 > /proc/sys/kernel/stack_tracer_enabled'
#
"""

Calls = list[tuple[int, int | None]]  # addresses, and the stack depth there; None: unknown


def deepest_at(machine: Machine, label: str) -> list[Calls]:
    """A list whose last item is always the deepest stack so far at a label of .ftrace.text, unwound as for panic reports."""
    kernel, (cpu,) = machine.kernel, machine.board.cpus
    stack_size, arch = kernel.image.constant("THREAD_SIZE"), machine.board.arch.name
    address, hidden = kernel.image.symbol(label), label == "prepare_ftrace_return"
    found: list[Calls] = []
    deepest = 0

    def look(uc: unicorn.Uc, at: int, size: int, data: None) -> None:
        nonlocal deepest
        frames: list[int] = []
        task = kernel.tasks.current(cpu)

        def real(frame: int, returns_to: int) -> int:
            frames.append(frame)
            return machine._running.reports.resolve_return(task, frame, returns_to)

        registers = {**kernel.arch.registers(kernel.memory, cpu, 0), "ip": address}
        top = kernel.memory.member(task, "task_struct.stack") + stack_size
        calls: Calls = []
        for caller in kernel.arch.callers(kernel.memory, cpu, registers, real):
            if not kernel.symbols.is_code(caller):
                break
            place = frames[-1] if frames else registers["sp"]
            if arch == "riscv64":  # a frame begins where its callee's ends, which the callee's frame pointer says
                place = registers["sp"] if len(calls) < 2 else frames[-1] and frames[-2]
            calls.append((caller, top - place - BIAS[arch] if place else None))
            if not hidden and not deepest < (calls[0][1] or 0) <= stack_size:
                return
        calls = calls[hidden:]
        used = calls[0][1] or 0
        if deepest < used <= stack_size:
            deepest = used
            found.append(calls)

    cpu.uc.hook_add(unicorn.UC_HOOK_BLOCK, look, None, address, address)
    cpu.uc.ctl_flush_tb()
    return found


def enable(machine: Machine, on: int = 1) -> None:
    assert machine.run(f"echo {on} > {ENABLED}").status == 0


def shown(machine: Machine) -> list[tuple[int, int, str]]:
    """Depth, size and place of each line of stack_trace."""
    head, columns, *lines = machine.tracefs.read("stack_trace").splitlines()
    assert head == f"        Depth    Size   Location    ({len(lines)} entries)"
    assert columns == "        -----    ----   --------"
    found = [LINE.fullmatch(line) for line in lines]
    assert all(found)
    rows = [match.groups() for match in found if match]
    assert [int(row[0]) for row in rows] == list(range(len(rows)))
    return [(int(depth), int(size), place) for _, depth, size, place in rows]


@pytest.mark.parametrize("graph", [False, True], ids=["alone", "beside-function_graph"])
def test_the_deepest_stack_is_kept(arch: str, graph: bool) -> None:
    with Machine(arch=arch, cpus=1) as machine:
        if graph:
            machine.tracefs.write("current_tracer", "function_graph")
        enable(machine)
        machine.tracefs.write("stack_max_size", "0")  # earlier deeper ones do not count
        deepest = deepest_at(machine, GRAPH[arch] if graph else "ftrace_caller")
        machine.run("ls /proc/self")
        rows, truth = shown(machine), deepest[-1]
        assert int(machine.tracefs.read("stack_max_size")) == rows[0][0] == truth[0][1]
        assert [place for _, _, place in rows] == [machine.kernel.symbols.describe(address) for address, _ in truth]
        assert all(depth == known for (depth, _, _), (_, known) in zip(rows, truth, strict=True) if known is not None)
        depths = [depth for depth, _, _ in rows] + [0]
        assert [size for _, size, _ in rows] == [a - b for a, b in itertools.pairwise(depths)]
        assert len(rows) > 8
        assert machine.warnings == []


def test_the_text_is_that_of_a_real_kernel(arch: str) -> None:
    """Every line of the golden, and the calls from the system call on, have the form of emu's."""
    lines = read_golden("stack_trace.txt").splitlines()
    assert all(LINE.fullmatch(line) for line in lines[2:])
    with booted_machine(arch, cpus=1) as machine:
        assert machine.tracefs.read("stack_max_size") == "0\n"
        assert machine.tracefs.read("stack_trace") == "\n".join(lines[:2]).replace("12", "0") + "\n" + DISABLED
        enable(machine)
        rows = shown(machine)
        width = [match.span(column) for match in [LINE.fullmatch(lines[2])] if match for column in (1, 2, 3, 4)]
        ours = LINE.fullmatch(machine.tracefs.read("stack_trace").splitlines()[2])
        assert ours is not None
        assert [ours.span(column)[1] for column in (1, 2, 3)] == [end for _, end in width[:3]]
        assert rows[-1][0] == rows[-1][1]


def test_a_size_that_is_written_is_the_deepest_so_far(arch: str) -> None:
    with booted_machine(arch, cpus=1) as machine:
        enable(machine)
        machine.tracefs.write("stack_max_size", "1000000")
        before = machine.tracefs.read("stack_trace")
        machine.run("ls /bin")
        assert machine.tracefs.read("stack_trace") == before
        assert machine.tracefs.read("stack_max_size") == "1000000\n"
        machine.tracefs.write("stack_max_size", "0")
        machine.run("ls /bin")
        assert 0 < int(machine.tracefs.read("stack_max_size")) < 16384
        enable(machine, 0)
        machine.tracefs.write("stack_max_size", "18446744073709551615")
        assert machine.tracefs.read("stack_max_size") == "-1\n"
        machine.tracefs.write("stack_max_size", "0")
        machine.run("ls /bin")
        assert machine.tracefs.read("stack_max_size") == "0\n"
        assert DISABLED in machine.tracefs.read("stack_trace")
        assert machine.tracefs.read("enabled_functions") == ""
        for wrong in ("", "-1", "1k", "18446744073709551616"):
            with pytest.raises(TraceError):
                machine.tracefs.write("stack_max_size", wrong)


def test_only_the_functions_of_its_filter_look(arch: str) -> None:
    with booted_machine(arch, cpus=FACTS[arch].cpus[1]) as machine:
        assert machine.tracefs.read("stack_trace_filter") == "#### all functions enabled ####\n"
        machine.tracefs.write("stack_trace_filter", "vfs_read vfs_write")
        assert machine.tracefs.read("enabled_functions") == ""
        enable(machine, 7)
        assert machine.run(f"cat {ENABLED}").output == b"7\n"
        machine.tracefs.write("set_ftrace_pid", "1")  # does not affect it
        machine.tracefs.write("tracing_on", "0")
        machine.run("ls /bin | wc -l")
        assert shown(machine)[0][2].startswith(("vfs_read+", "vfs_write+"))
        users = [line.split()[:2] for line in machine.tracefs.read("enabled_functions").splitlines()]
        assert users == [["vfs_read", "(1)"], ["vfs_write", "(1)"]]
        with pytest.raises(TraceError):
            machine.tracefs.write("stack_trace_filter", "no_such_function")
        assert machine.tracefs.read("stack_trace_filter") == "vfs_read\nvfs_write\n"
        machine.run("sysctl -w kernel.ftrace_enabled=0 2> /dev/null || echo 0 > /proc/sys/kernel/ftrace_enabled")
        machine.tracefs.write("stack_max_size", "0")
        machine.run("ls /bin")
        assert machine.tracefs.read("stack_max_size") == "0\n"
