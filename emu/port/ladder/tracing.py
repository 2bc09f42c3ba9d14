# SPDX-License-Identifier: GPL-2.0-only
"""Rungs of the function tracers: what they record, and the return addresses that they replace."""

from __future__ import annotations

import itertools
import re
from collections import Counter

from emu.machine import Machine
from emu.port.ladder.guest import booted, contains, idle, quiet, run, traced
from emu.port.ladder.rung import expect, fail
from emu.port.native.block_log import BlockLog

__all__ = ["backtraces", "fp_test", "function", "graph"]

_LOAD = "ls /bin | sed s/[aeiou]/z/g; busy 2 1"
_SELDOM = 2
_BUFFER = "60000"  # KiB for each CPU


def _trace_whole(machine: Machine, tracer: str) -> None:
    machine.tracefs.write("tracing_on", "0")
    machine.tracefs.write("buffer_size_kb", _BUFFER)
    machine.tracefs.write("current_tracer", tracer)
    machine.tracefs.write("tracing_on", "1")


def function(arch: str) -> str:
    """The function trace has each call once that CPUs have made, as an independent log of blocks says."""
    with booted(arch, 2) as machine:
        image, board = machine.kernel.image, machine.board
        named = {int(site): image.function_at(int(site)) for site in image.sites}
        function_of = {site: symbol.address for site, symbol in named.items() if symbol is not None}
        name_of = {symbol.address: symbol.name for symbol in named.values() if symbol is not None}
        logs = [BlockLog(cpu, list(function_of.values())) for cpu in board.cpus]
        _trace_whole(machine, "function")
        for log in logs:
            log.on = True
        run(machine, _LOAD)
        idle(machine)
        for log in logs:
            log.on = False
        machine.tracefs.write("tracing_on", "0")
        calls = machine.trace()["ftrace:function"]
        seen = Counter(function_of[ip] for ip in calls["ip"].tolist())
        made, twice = Counter[int](), Counter[int]()
        for log in logs:
            addresses = log.addresses
            made.update(addresses)
            # A first instruction that traps is executed again, so a function that begins twice in a row may be one call;
            # seldom, an interrupt comes in between.
            twice.update(here for here, before in zip(addresses[1:], addresses, strict=False) if here == before)
        for address in sorted(made | seen, key=lambda at: -abs(made[at] - seen[at])):
            if not made[address] - twice[address] - _SELDOM * bool(twice[address]) <= seen[address] <= made[address]:
                fail(f"{name_of[address]} is recorded {made[address]} times, as often as CPUs have called it",
                    f"{seen[address]} times")
        if sum(seen.values()) < 5000:
            fail("more than 5,000 calls", str(sum(seen.values())))
        expect("lost events", 0, sum(ring.overrun + ring.dropped_events for ring in machine.trace_array.recorder.rings))
        quiet(machine)
        parents = traced(machine, "echo 1 > /sys/kernel/tracing/tracing_on; cat /proc/version > /dev/null")
        for child, parent in (("vfs_read", "ksys_read"), ("ksys_read", "sys_read"), ("vfs_open", "do_open")):
            contains(f"the caller of {child}", [rf": {child} <-{parent}$"], parents)
        contains("flags: an interrupt's call with interrupts off", [r"d\.h"], parents)
        return f"{sum(seen.values())} calls"


def graph(arch: str) -> str:
    """Each call has its return, in order for each task, and programs' results are right."""
    with booted(arch, 2) as machine:
        _trace_whole(machine, "function_graph")
        run(machine, _LOAD)
        idle(machine)
        machine.tracefs.write("tracing_on", "0")
        trace = machine.trace()
        names = {"ftrace:funcgraph_entry": 0, "ftrace:funcgraph_exit": 1}
        rows = []
        for name, kind in names.items():
            columns = trace[name]
            rows += [(time, number, kind, pid, cpu, depth, func) for number, (time, pid, cpu, depth, func) in enumerate(
                zip(*(columns[field].tolist() for field in ("common_time", "common_pid", "common_cpu", "depth", "func")),
                    strict=True))]  # fmt: skip
        count = _check_calls(machine, rows)
        if count < 5000:
            fail("more than 5,000 calls that return", str(count))
        quiet(machine)
        machine.tracefs.write("set_graph_function", "ksys_read")
        machine.tracefs.write("options/funcgraph-irqs", "0")
        machine.tracefs.write("tracing_on", "1")
        text = traced(machine, "cat /proc/version > /dev/null")
        contains("the graph of a read", [r"^ \d\) .*\|  ksys_read\(\) \{$", r"vfs_read\(\) \{$", r" us +\|  \}$"], text)
        machine.tracefs.write("current_tracer", "nop")
        run(machine, "busy 2 1 | grep ' 0 errors'")
        quiet(machine)
        return f"{count} calls"


def _check_calls(machine: Machine, rows: list[tuple[int, int, int, int, int, int, int]]) -> int:
    """Pairs entries with exits. Within a task and a time, an exit comes before the next entry."""
    of_task: dict[tuple[int, int], list[tuple[int, int, int, int]]] = {}
    for time, number, kind, pid, cpu, depth, func in rows:
        of_task.setdefault((pid, cpu if pid == 0 else 0), []).append((time, kind, depth, func))
        del number
    count = 0
    for (pid, _), events in of_task.items():
        entered: Counter[tuple[int, int]] = Counter()
        left: Counter[tuple[int, int]] = Counter()
        for _time, kind, depth, func in events:
            (left if kind else entered)[func, depth] += 1
        for key, returned in left.items():
            # What was called before tracing began has no entry; what has not returned yet has no exit.
            if returned > entered[key] + 1:
                name = machine.kernel.image.function_at(key[0])
                fail(f"each return of {name.name if name else hex(key[0])} in task {pid} has its call: {entered[key]}",
                    str(returned))
        lost = sum((entered - left).values())
        if lost > 40:
            fail(f"nearly all calls in task {pid} return", f"{lost} of {sum(entered.values())} do not")
        count += sum(left.values())
    return count


def backtraces(arch: str) -> None:
    """Stacks are the same with and without replaced return addresses: the kernel's, programs', in traces and in reports."""
    with booted(arch, 2) as machine:
        sleeper = "sleep 0.02 & cat /proc/$!/stack; wait"
        plain = _functions(run(machine, sleeper))
        if len(plain) < 3 or not {"hrtimer_nanosleep", "sys_nanosleep"} <= set(plain):
            fail("the stack of a task that sleeps: hrtimer_nanosleep, sys_nanosleep, ...", ", ".join(plain) or "nothing")
        tracefs = machine.tracefs
        stacks = {}
        tracefs.write("events/syscalls/sys_enter_getpid/trigger", "stacktrace")
        tracefs.write("options/userstacktrace", "1")
        for tracer in ("nop", "function_graph"):
            tracefs.write("current_tracer", tracer)
            expect(f"/proc/PID/stack with {tracer}", plain, _functions(run(machine, sleeper)))
            text = traced(machine, "getpid > /dev/null")
            if "<stack trace>" not in text:
                fail(f"a stack trace at sys_enter_getpid with {tracer}", "none")
            lines = text[text.index("<stack trace>") :].splitlines()[1:]
            stacks[tracer] = [line.split()[1] for line in itertools.takewhile(lambda line: line.startswith(" => "), lines)]
        expect("the stack of an event with function_graph is that without", stacks["nop"], stacks["function_graph"])
        if len(stacks["nop"]) < 3 or "return_to_handler" in stacks["nop"]:
            fail("a stack of three functions or more", ", ".join(stacks["nop"]))
        tracefs.write("events/syscalls/sys_enter_getpid/trigger", "!stacktrace")
        tracefs.write("current_tracer", "nop")
        tracefs.write("options/userstacktrace", "0")
        _user_stacks(machine)
        _function_stacks(machine)
        quiet(machine)
        _reports(machine)


def _functions(text: str) -> list[str]:
    return re.findall(r"(\w+)\+0x", text)


def _user_stacks(machine: Machine) -> None:
    tracefs = machine.tracefs
    tracefs.write("options/userstacktrace", "1")
    tracefs.write("options/sym-userobj", "1")
    tracefs.write("events/syscalls/sys_enter_write/enable", "1")
    text = traced(machine, "cat /proc/version > /dev/null")
    mine = re.findall(r"^ +cat-.*<user stack trace>\n((?: => .*\n)+)", text, re.MULTILINE)
    if not mine:
        fail("a program's stack behind its event sys_enter_write", text[-1000:])
    contains("a program's stack behind its event", [r"^ =>  ?(/bin/cat\[\+0x[0-9a-f]+\]|<[0-9a-f]+>)$"], mine[0])
    tracefs.write("events/syscalls/sys_enter_write/enable", "0")
    tracefs.write("options/userstacktrace", "0")


def _function_stacks(machine: Machine) -> None:
    """func_stack_trace, in which every function is still without its frame, and the stack tracer."""
    tracefs = machine.tracefs
    tracefs.write("set_ftrace_filter", "vfs_read")
    tracefs.write("options/func_stack_trace", "1")
    tracefs.write("current_tracer", "function")
    text = traced(machine, "cat /proc/version > /dev/null")
    contains("the stack of a call of vfs_read", ["<stack trace>", "^ => vfs_read", "^ => ksys_read", "^ => sys_read"], text)
    tracefs.write("current_tracer", "nop")
    tracefs.write("options/func_stack_trace", "0")
    tracefs.write("set_ftrace_filter", "")
    machine.stack_tracer_enabled = True
    run(machine, "ls /bin > /dev/null")
    machine.stack_tracer_enabled = False
    deepest = tracefs.read("stack_trace")
    contains("stack_trace", [r"Depth +Size +Location", r"^ +0\) +\d+ +\d+ +\w+\+0x", r"^ +5\) +\d+ +\d+ +\w+\+0x"], deepest)


def _reports(machine: Machine) -> None:
    """What the host says of an oops: the backtrace goes through the module and through the interrupted code."""
    machine.tracefs.write("current_tracer", "function_graph")
    machine.run("insmod /lib/modules/sample_crash.ko how=null where=init")
    said = "\n".join(machine.warnings)
    machine.warnings.clear()
    contains("the report about an oops while function_graph is on",
             [r"oops", r"\bip [0-9a-f]{16}  sample_crash_null", r"sample_crash_init", r"do_one_initcall",
                 r"sys_finit_module"], said)  # fmt: skip
    machine.tracefs.write("current_tracer", "nop")
    run(machine, "echo alive")


def fp_test(arch: str) -> None:
    """A return whose frame is not the one of its call is detected; tracing stops, and the guest goes on."""
    with booted(arch, 2) as machine:
        memory, image, tasks = machine.kernel.memory, machine.kernel.image, machine.kernel.tasks
        machine.tracefs.write("current_tracer", "function_graph")
        run(machine, "(sleep 0.05; echo slept > /slept) &")
        machine.advance(1_000_000)
        (task,) = [task for task in tasks if tasks.comm(task) == "sleep"]
        depth = memory.member(task, "task_struct.curr_ret_stack")
        if not 0 < depth < image.constant("FTRACE_RETFUNC_DEPTH"):
            fail("a task that sleeps has entries on its return stack", f"curr_ret_stack {depth:#x}")
        top = task + image.offset("task_struct.ret_stack") + depth * image.size("ftrace_ret_stack")
        frame = memory.member(top, "ftrace_ret_stack.fp")
        if not frame:
            fail("ftrace_ret_stack.fp of the latest call", "0")
        memory.set_member(top, "ftrace_ret_stack.fp", frame + 16)
        machine.advance(20_000_000)
        contains("the warning about a frame that does not match", ["has no entry on its task's return stack"],
            "\n".join(machine.warnings))
        machine.warnings.clear()
        expect("what the task has written, which goes on", "slept", run(machine, "cat /slept").strip())
