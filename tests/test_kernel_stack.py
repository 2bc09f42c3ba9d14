# SPDX-License-Identifier: GPL-2.0-only
"""Kernel stacks: there are enough, and one that is full is reported as that."""

from __future__ import annotations

import re

import pytest

from emu.kernel.upcalls import Upcall
from emu.machine import GuestPanic, Machine

EXHAUST = "echo EXHAUST_STACK > /dev/lkdtm"


@pytest.mark.parametrize("tracer", ["nop", "function", "function_graph"])
def test_a_kernel_stack_overflow_is_reported_as_one(arch: str, tracer: str) -> None:
    with Machine(arch=arch, cpus=2) as made:
        made.tracefs.write("current_tracer", tracer)
        with pytest.raises(GuestPanic) as caught:
            made.run(EXHAUST)
        report = str(caught.value)
        assert re.match(r"guest panic on CPU \d: kernel stack overflow\n  task echo, pid \d+\n  ip [0-9a-f]{16}  recursive_loop\+0x", report)
        assert len(re.findall(r"^  recursive_loop\+0x", report, re.MULTILINE)) > 50
        assert "return_to_handler" not in report


@pytest.mark.parametrize("index", [0, 1])
def test_idle_tasks_too_have_guarded_stacks(arch: str, index: int) -> None:
    with Machine(arch=arch, cpus=2) as made:
        overflow = made.kernel.image.symbol("lkdtm_EXHAUST_STACK")
        upcall = Upcall(overflow, 0, lambda cpu: None, lambda cpu, result: None)
        made.kernel.upcalls.post(made.board.cpus[index], upcall, made.board.now)
        with pytest.raises(GuestPanic, match=rf"on CPU {index}: kernel stack overflow\n  task swapper/{index}, pid 0"):
            made.advance(10_000_000)


def test_an_interrupt_may_be_what_overflows_a_stack(arch: str) -> None:
    """Of many at different places some come when there is room for the function, but not for them."""
    functions = set()
    for first in range(0, 600, 37):
        with Machine(arch=arch, cpus=1) as made:
            vector = made.kernel.image.offset("RESCHEDULE_VECTOR")
            for delay in range(first, 60_000, 600):
                made.board.cpus[0].raise_interrupt(vector, made.board.now + delay)
            with pytest.raises(GuestPanic, match="kernel stack overflow\n  task ") as caught:
                made.run(EXHAUST)
            report = str(caught.value)
            assert "  recursive_loop+0x" in report
            functions.update(re.findall(r"^  ip [0-9a-f]+  (\w+)\+", report, re.MULTILINE))
    assert len(functions) > 1


def test_what_else_the_kernel_does_on_request(arch: str) -> None:
    with Machine(arch=arch, cpus=1) as made:
        assert made.run("cat /dev/lkdtm").output == b"PANIC\nBUG\nWARNING\nEXHAUST_STACK\n"
        assert made.run("echo NONSENSE > /dev/lkdtm").output == b"echo: write error: Invalid argument\n"
        assert made.run("echo WARNING > /dev/lkdtm").status == 0
        assert "  lkdtm_WARNING+0x" in made.warnings[0]
        with pytest.raises(GuestPanic, match="on CPU 0: kernel BUG at kernel/drivers/lkdtm.c:"):
            made.run("echo BUG > /dev/lkdtm")
    with Machine(arch=arch, cpus=1) as made, pytest.raises(GuestPanic, match="on CPU 0: as asked for\n"):
        made.run("echo PANIC > /dev/lkdtm")


def test_there_are_stacks_for_many_tasks(arch: str) -> None:
    """More than one chunk of the direct map holds; others are running while the next is made."""
    with Machine(arch=arch, cpus=2) as made:
        done = made.run("sleep 1 & " * 250 + "wait; echo all")
        assert done.output == b"all\n"
        assert made.warnings == []
