# SPDX-License-Identifier: GPL-2.0-only
"""Rungs of boards with several CPUs: atomic instructions, interrupts between CPUs, code that another CPU has changed."""

from __future__ import annotations

import numpy as np

from emu.cpu.cpu import Cpu
from emu.port.ladder.board import IPI, REPORT, BareBoard
from emu.port.ladder.board_memory import DATA

__all__ = ["atomics", "ipis", "stale_code"]

_ROUNDS = 300
_FUNCTION, _NEXT, _FLAG = 0x140000, 0x150000, 0x160000
_LONGEST_FUNCTION = 16  # bytes
_DELAY = 1500  # cycles: a CPU may be a quantum ahead


def atomics(arch: str) -> None:
    """Two CPUs add to a word: atomically, no addition is lost; without, between turns, some are."""
    for quantum in (1, 7, 100):
        totals = {}
        for atomic in (True, False):
            bare = BareBoard(arch, 2, quantum=quantum)
            text = bare.text
            plain = text.load_word(8, 1) + text.relax() + text.add(8, 1) + text.store_word(1, 8)
            one = text.load(0, 1) + text.load(1, bare.virtual(DATA)) + text.load(2, _ROUNDS)
            source = one + "\nloop:\n" + (text.atomic_add(1, 0) if atomic else plain) + text.count_down(2, "loop") + bare.stop()
            for cpu in range(2):
                bare.start(source, cpu)
            bare.run(2, why="two CPUs that add to one word")
            totals[atomic] = bare.read(DATA)
        bare.expect(f"the sum of atomic additions, with turns of {quantum} cycles", 2 * _ROUNDS, totals[True])
        if totals[False] == 2 * _ROUNDS:
            bare.failed("some additions of two CPUs that end their turns in between are lost", "none is")


def ipis(arch: str) -> None:
    """A CPU interrupts another one: running, or asleep; not before it was sent; a vector that does not exist is refused."""
    for asleep in (False, True):
        for seed in range(3):
            bare = BareBoard(arch, 2, seed=seed)
            text, vector = bare.text, bare.vector(0)
            waits = text.sleep() if asleep else text.load(2, bare.virtual(DATA)) + text.load_word(0, 2)
            bare.start(text.load(3, 0) + text.interrupts(True) + "\nwait:\n" + waits
                       + text.load(2, bare.virtual(DATA)) + text.load_word(0, 2) + text.jump_if_zero(0, "wait")
                       + bare.stop(), 1)  # fmt: skip
            bare.start(
                text.load(2, 3000) + "\nloop:\n" + text.count_down(2, "loop") + text.cycle_counter(2) + text.load(0, 1)
                + text.load(1, vector) + text.argument(0, 0) + text.argument(1, 1) + text.host_call(IPI) + text.result(0)
                + bare.report(0) + text.load(1, 1 << 20) + text.load(0, 1) + text.argument(0, 0) + text.argument(1, 1)
                + text.host_call(IPI) + text.result(0) + bare.report(0) + bare.stop(2)
            )  # fmt: skip
            bare.handler(text.cycle_counter(8) + text.load(7, bare.virtual(DATA)) + text.store_word(7, 8))
            bare.run(2, why="a CPU that waits for another one's interrupt")
            sent, taken = bare.result, bare.read(DATA)
            bare.expect("the interrupt's cause", [text.interrupt_cause(vector)], [one.cause for one in bare.taken])
            bare.expect("results of sending: 0, and -EINVAL for a vector that there is not", [0, (1 << 64) - 22], bare.reports())
            if not sent <= taken < sent + _DELAY:
                bare.failed(f"the interrupt comes within {_DELAY} cycles after it was sent, at {sent}", f"at {taken}")


def stale_code(arch: str) -> None:
    """CPU 0 changes a function that both call. It sees the change; the other CPU does once it has forgotten the old code."""
    for told in (False, True):
        bare = BareBoard(arch, 2)
        text = bare.text
        first, second = (bare.put(place, text.function(value)) for place, value in ((_FUNCTION, 1), (_NEXT, 2)))
        if len(first.code) != len(second.code) or len(first.code) > _LONGEST_FUNCTION:
            bare.failed("AssemblerTemplates.function(): functions of one length, of at most 16 bytes", second.code.hex(" "))
        calls = text.call(bare.virtual(_FUNCTION)) + bare.report(0)
        copy = "".join(
            text.load(1, bare.virtual(_NEXT + n)) + text.load_word(2, 1) + text.load(1, bare.virtual(_FUNCTION + n))
            + text.store_word(1, 2) + text.synchronise(1) for n in (0, 8)
        )  # fmt: skip
        flag = text.load(1, bare.virtual(_FLAG))
        bare.start(calls + "\nwait:\n" + text.relax() + flag + text.load_word(0, 1) + text.jump_if_zero(0, "wait") + copy
                   + text.load(0, 1000) + bare.report(0) + flag + text.load(0, 0) + text.store_word(1, 0) + calls + calls
                   + bare.stop())  # fmt: skip
        bare.start(calls + flag + text.load(0, 1) + text.store_word(1, 0) + "\nwait:\n" + text.relax() + flag
                   + text.load_word(0, 1) + text.jump_if_zero(0, "go") + text.jump("wait") + "\ngo:\n" + calls + calls
                   + bare.stop(), 1)  # fmt: skip

        def forget(cpu: Cpu, value: int, bare: BareBoard = bare, told: bool = told) -> int:
            if value == 1000 and told:
                bare.board.cpus[1].fetch_anew(np.array([[_FUNCTION, _FUNCTION + _LONGEST_FUNCTION]], np.uint64))
            return 0

        bare.run(2, forget, why="two CPUs that call a function which changes")
        bare.expect("what CPU 0, which changes the function, gets", [1, 1000, 2, 2], bare.reports(0))
        expected = [1, 2, 2] if told else [1, 1, 1]
        when = "has been told to forget the old code" if told else "keeps its translation"
        bare.expect(f"what CPU 1 gets, which {when}", expected, bare.reports(1), bare.board.cpus[1])
    # The host changes code, too.
    bare = BareBoard(arch)
    text = bare.text
    bare.put(_FUNCTION, text.function(1))
    changed = bare.put(_NEXT, text.function(2)).code
    calls = text.call(bare.virtual(_FUNCTION)) + bare.report(0)
    bare.start(calls * 6 + bare.stop())

    def write(cpu: Cpu, value: int) -> int:
        asked = sum(call.number == REPORT for call in bare.calls)
        if asked == 2:
            bare.board.write_code(_FUNCTION, changed)
        if asked == 4:
            bare.board.flush_page(_FUNCTION)
        return 0

    bare.run(on_report=write)
    bare.expect("what a function returns that the host changes after two calls, and tells the CPU after four",
                [1, 1, 1, 1, 2, 2], bare.reports())  # fmt: skip
