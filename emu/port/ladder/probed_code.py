# SPDX-License-Identifier: GPL-2.0-only
"""Instructions that probes and live patches replace, on a board without a kernel: which may be replaced, and by what."""

from __future__ import annotations

import errno

from emu.ftrace import arch as ftrace_arch
from emu.ftrace.errors import TraceError
from emu.port.ladder import arch as templates_of
from emu.port.ladder.assembler import Program, assemble
from emu.port.ladder.board import BareBoard
from emu.port.ladder.board_memory import CODE
from emu.port.ladder.rung import expect, fail

__all__ = ["copies", "refusals", "replaced"]

_COPY = 0x170000  # physical
_FIRST, _PROBED, _SITE = "first", "probed", "site"


def refusals(arch: str) -> None:
    """What must not be probed is refused with its reason, and everything else is not."""
    probing, text, bare = ftrace_arch.load(arch).probing(), templates_of.load(arch), BareBoard(arch)
    begin = f"\n{_FIRST}:\n"

    def why_not(program: Program, address: int) -> int | None:
        try:
            probing.instruction(program.code, program.symbols[_FIRST], address)
        except TraceError as error:
            return error.errno
        return None

    for why, source in text.not_probed.items():
        program = bare.put(CODE, begin + source)
        expect(f"the error for a probe at {why}: EINVAL", errno.EINVAL, why_not(program, program.symbols[_PROBED]))
    for name, (source, _) in text.probed.items():
        program = bare.put(CODE, begin + source)
        probed = program.symbols[_PROBED]
        expect(f"the error for a probe at {name}: none", None, why_not(program, probed))
        size = len(probing.instruction(program.code, program.symbols[_FIRST], probed))
        for inner in range(bare.arch.instruction_alignment, size, bare.arch.instruction_alignment):
            expect(f"the error for a probe {inner} bytes into {name}: EILSEQ", errno.EILSEQ, why_not(program, probed + inner))


def copies(arch: str) -> None:
    """A breakpoint in an instruction's place, and the copy of the instruction elsewhere, do what the instruction does."""
    probing = ftrace_arch.load(arch).probing()
    for name, (source, result) in templates_of.load(arch).probed.items():
        bare = BareBoard(arch)
        text = bare.text
        copy = bare.virtual(_COPY)
        program = bare.start(text.load(3, copy) + source + bare.stop())
        first, probed = program.symbols[_FIRST], program.symbols[_PROBED]
        instruction = probing.instruction(program.code[first - bare.virtual(CODE) :], first, probed)
        made = probing.copy(instruction, probed, copy)
        expect(f"the length of the copy of {name} is that without a place", len(probing.copy(instruction, probed, None)),
               len(made))  # fmt: skip
        if not made:
            continue
        at = probed - bare.arch.kernel_map
        bare.board.ram[at : at + len(probing.breakpoint)] = probing.breakpoint
        bare.board.ram[_COPY : _COPY + len(made)] = made
        bare.run(why=f"a program with a copy of {name}, {instruction.hex(' ')}, which is {made.hex(' ')}")
        bare.expect(f"traps of the breakpoint in place of {name}", 1, len(bare.taken))
        bare.expect(f"register 0 after the copy of {name}", result, bare.result)


def replaced(arch: str) -> None:
    """Which functions can be replaced at their call sites, and which still have their arguments there."""
    tracing = ftrace_arch.load(arch)
    for name, (source, replaces, keeps) in templates_of.load(arch).entries.items():
        program = assemble(arch, f"\n{_FIRST}:\n{source}", BareBoard(arch).virtual(CODE))
        site = program.symbols[_SITE] - program.symbols[_FIRST]
        why = tracing.hinders_replacing(program.code, site)
        if (why is None) != replaces:
            fail(f"{name}: can{'' if replaces else 'not'} be replaced", why or "it can")
        expect(f"{name}: FtraceArch.keeps_arguments()", keeps, tracing.keeps_arguments(program.code, site))
