# SPDX-License-Identifier: GPL-2.0-only
"""Kernel stacks: there are enough, and an overflow is reported as one."""

from __future__ import annotations

import re

import pytest
import unicorn

from emu.kernel.upcalls import Upcall
from emu.machine import GuestPanic
from tests.lib.arches import FACTS
from tests.lib.booted_machine import booted_machine

EXHAUST = "usleep 100; echo EXHAUST_STACK > /dev/lkdtm"


@pytest.mark.parametrize("tracer", ["nop", "function", "function_graph"])
def test_a_kernel_stack_overflow_is_reported_as_one(arch: str, tracer: str) -> None:
    with booted_machine(arch, cpus=2) as made:
        made.tracefs.write("current_tracer", tracer)
        with pytest.raises(GuestPanic) as caught:
            made.run(EXHAUST)
        report = str(caught.value)
        head = rf"guest panic on CPU \d: {FACTS[arch].stack_overflow}\n  task sh, pid \d+\n  ip [0-9a-f]{{16}}  "
        assert re.match(head + r"recursive_loop\+0x", report)
        assert len(re.findall(r"^  recursive_loop\+0x", report, re.MULTILINE)) > 50
        assert "return_to_handler" not in report
        outermost = re.findall(r"^  (\w+)\+0x", report, re.MULTILINE)[-12:]
        assert {"lkdtm_EXHAUST_STACK", "vfs_write", FACTS[arch].system_call} <= set(outermost)


@pytest.mark.parametrize("index", [0, 1])
def test_idle_tasks_too_have_guarded_stacks(arch: str, index: int) -> None:
    with booted_machine(arch, cpus=2) as made:
        overflow = made.kernel.image.symbol("lkdtm_EXHAUST_STACK")
        upcall = Upcall(overflow, 0, lambda cpu: None, lambda cpu, result: None)
        made.kernel.upcalls.post(made.board.cpus[index], upcall, made.board.now)
        with pytest.raises(GuestPanic, match=rf"on CPU {index}: {FACTS[arch].stack_overflow}\n  task swapper/{index}, pid 0"):
            made.advance(10_000_000)


@pytest.mark.parametrize("command", ["fault kernel", "fault stack", "nostack"])
def test_what_a_program_does_to_a_guard_page_overflows_nothing(arch: str, command: str) -> None:
    with booted_machine(arch, cpus=1) as made:
        kernel = made.kernel
        task = kernel.memory.member(kernel.hot_areas[0], "pcpu_hot.current_task")
        in_guard_page = kernel.memory.member(task, "task_struct.stack") - 64
        assert made.run(f"{command} {in_guard_page:x}").status == (0 if command == "nostack" else 139)
        assert made.run("echo alive").output == b"alive\n"


def overflow(arch: str, interrupted: int | None) -> tuple[int, str]:
    """How many calls of recursive_loop overflow the stack, and the report. An interrupt comes in call `interrupted`."""
    frames: set[int] = set()  # SPARC executes a function's first instruction again after a window has been spilled
    with booted_machine(arch, cpus=1) as made:
        cpu, image = made.board.cpus[0], made.kernel.image
        function, vector = image.symbol("recursive_loop"), image.constant("RESCHEDULE_VECTOR")

        def on_call(uc: object, address: int, size: int, data: object) -> None:
            frames.add(cpu.registers()[FACTS[arch].stack_pointer])
            if len(frames) == interrupted:
                cpu.raise_interrupt(vector, cpu.cycles)

        cpu.uc.hook_add(unicorn.UC_HOOK_BLOCK, on_call, None, function, function)
        cpu.uc.ctl_flush_tb()
        with pytest.raises(GuestPanic, match=rf"on CPU 0: {FACTS[arch].stack_overflow}\n  task sh, ") as caught:
            made.run(EXHAUST)
    return len(frames), str(caught.value)


def test_an_interrupt_may_be_what_overflows_a_stack(arch: str) -> None:
    """Near its end, a stack has room for another call, but not for an interrupt and its handler's calls."""
    fit, _ = overflow(arch, None)
    ended = set()
    for call in range(fit - 10, fit, 3):
        last, report = overflow(arch, call)
        assert last in (call, fit)
        assert len(re.findall(r"^  recursive_loop\+0x", report, re.MULTILINE)) > 50
        ended.add(last)
    assert len(ended) > 1


def test_what_else_the_kernel_does_on_request(arch: str) -> None:
    with booted_machine(arch, cpus=1) as made:
        assert made.run("cat /dev/lkdtm").output.startswith(b"PANIC\nBUG\nWARNING\nEXHAUST_STACK\n")
        assert made.run("/bin/echo NONSENSE > /dev/lkdtm").output == b"echo: write error: Invalid argument\n"
        assert made.run("echo WARNING > /dev/lkdtm").status == 0
        assert "  lkdtm_WARNING+0x" in made.warnings[0]
        with pytest.raises(GuestPanic, match=r"on CPU 0: kernel BUG at kernel/drivers/lkdtm\.c:"):
            made.run("echo BUG > /dev/lkdtm")
    with booted_machine(arch, cpus=1) as made, pytest.raises(GuestPanic, match="on CPU 0: as asked for\n"):
        made.run("echo PANIC > /dev/lkdtm")


def test_there_are_stacks_for_many_tasks(arch: str) -> None:
    """More than one chunk of the direct map holds; tasks are running while the next chunk is mapped."""
    with booted_machine(arch, cpus=2) as made:
        done = made.run("sleep 1 & " * 250 + "wait; echo all")
        assert done.output == b"all\n"
        assert made.warnings == []
