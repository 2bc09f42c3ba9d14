# SPDX-License-Identifier: GPL-2.0-only
"""Rungs of page tables, user mode, system calls and page faults."""

from __future__ import annotations

from emu.port.ladder.arch import Trap
from emu.port.ladder.board import BareBoard
from emu.port.ladder.board_memory import DATA, USER_CODE, USER_DATA, USER_FRAMES
from emu.port.ladder.rung import fail

__all__ = ["mmu", "page_faults", "syscalls", "user"]

_CODE_FRAME, _FIRST, _SECOND, _STACK_FRAME = (USER_FRAMES + 0x10000 * n for n in range(4))
USER_STACK = USER_DATA + 0x10000  # the page below it is mapped
_ONE, _TWO = 0x1111_2222_3333_4444, 0x5555_6666_7777_8888
_STEPS = 400


class _User:
    """A bare board whose CPU 0 goes to user mode, to `program`. A page of data may be mapped."""

    def __init__(self, arch: str, program: str, repair: str = "", data: bool = True, writable: bool = True) -> None:
        self.bare = bare = BareBoard(arch)
        text, page = bare.text, bare.arch.page_size
        self.program = bare.put(_CODE_FRAME, program, USER_CODE)
        bare.word(_FIRST, _ONE)
        bare.word(_SECOND, _TWO)
        bare.handler(repair)
        maps = text.map_page(USER_CODE, _CODE_FRAME, False) + text.map_page(USER_STACK - page, _STACK_FRAME, True)
        if data:
            maps += text.map_page(USER_DATA, _FIRST, writable)
        bare.start(maps + text.load(3, 0) + text.enter_user(USER_CODE, USER_STACK - 256))

    def leave(self) -> str:
        """What the trap handler does to end the program: it tells register 0."""
        return self.bare.stop()


def _ending(arch: str) -> str:
    """A repair that ends the program at its first system call, and else does nothing."""
    bare = BareBoard(arch)
    text = bare.text
    return text.jump_if_zero(2, "goes") + bare.stop() + "\ngoes:\n"


def mmu(arch: str) -> None:
    """A page is mapped, mapped elsewhere, and no longer: the host's translation and the CPU's follow."""
    bare = BareBoard(arch)
    text = bare.text
    bare.start(
        bare.report(0) + text.map_page(USER_DATA, _FIRST, True) + bare.report(0) + text.unmap_page(USER_DATA) + bare.report(0)
        + text.map_page(USER_DATA, _SECOND, True) + bare.report(0) + bare.stop()
    )  # fmt: skip
    found: list[int | None] = []

    def look(cpu: object, first: int) -> int:
        found.append(bare.cpu.translate(USER_DATA + 0x123))
        return 0

    bare.run(on_report=look, why="a program that maps pages")
    bare.expect("CpuArch.translate() before a page is mapped, after that, unmapped, and mapped elsewhere",
                [None, _FIRST + 0x123, None, _SECOND + 0x123], found)  # fmt: skip
    # The program sees another frame once the old translation is dropped.
    text = BareBoard(arch).text
    page = text.unmap_page(USER_DATA) + text.map_page(USER_DATA, _SECOND, True)
    ask = text.load(1, USER_DATA) + text.load_word(0, 1)
    program = ask + text.load(3, "second") + text.system_call() + "\nsecond:\n" + ask + text.load(2, 1) + text.system_call()
    machine = _User(arch, program, repair=_ending(arch) + page)
    machine.bare.handler(machine.bare.report(0) + _ending(arch) + page)
    machine.bare.run(on_report=lambda cpu, first: 0, why="a program whose page is mapped elsewhere")
    values = machine.bare.reports()
    machine.bare.expect("the word that the program loads, before and after", [_ONE, _TWO], values)
    word = machine.bare.cpu.read(USER_DATA, 8)
    machine.bare.expect("Cpu.read() of the page", _TWO, int.from_bytes(word, machine.bare.arch.byte_order))


def user(arch: str) -> None:
    """A program runs without privileges; what it must not do traps."""
    text = BareBoard(arch).text
    kernel = BareBoard(arch).virtual(DATA)
    cases = {
        "a privileged instruction": (text.privileged(), text.causes[Trap.PRIVILEGED]),
        "an undefined instruction": (text.undefined(), text.causes[Trap.UNDEFINED]),
        "a load of the kernel's memory": (text.load(1, kernel) + text.load_word(0, 1), None),
        "a host call": (text.host_call(33), None),
    }
    for name, (fragment, cause) in cases.items():
        end = text.load(2, 1) + text.system_call()
        machine = _User(arch, text.load(0, 1) + text.load(2, 0) + text.load(3, "end") + "\ntrap:\n" + fragment + "\nend:\n" + end,
                        repair=_ending(arch))  # fmt: skip
        bare = machine.bare
        for _ in range(_STEPS):
            if bare.cpu.pc == USER_CODE:
                break
            bare.cpu.step()
        else:
            bare.failed(f"the CPU comes to the program, at {USER_CODE:#x}", f"it is at {bare.cpu.pc:#x} after {_STEPS} steps")
        bare.expect("CpuArch.in_user_mode() in a program", True, bare.cpu.in_user_mode)
        bare.run(why=f"a program that tries {name} traps")
        traps = bare.taken
        bare.expect(f"{name} traps, and a system call behind it", 2, len(traps))
        bare.expect(f"host calls that user mode has made by {name}", [], bare.reports())
        if cause is not None:
            bare.expect(f"{name}: cause", cause, traps[0].cause)
            bare.expect(f"{name}: saved address", machine.program.symbols["trap"], traps[0].place)
        bare.expect("CpuArch.in_user_mode() in the handler", False, bare.cpu.in_user_mode)


def syscalls(arch: str) -> None:
    """System calls come to the handler, with the program's registers, and return behind the instruction."""
    text = BareBoard(arch).text
    calls = "".join(
        text.load(3, f"after{n}") + f"\ncall{n}:\n" + text.system_call() + f"\nafter{n}:\n" + text.add(0, 5) for n in range(3)
    )
    machine = _User(arch, text.load(0, 1) + text.load(1, 1000) + text.load(2, 0) + "\nround:\n" + calls
        + text.count_down(1, "round")
                    + text.load(2, 1) + text.system_call(), repair=_ending(arch))  # fmt: skip
    bare = machine.bare
    bare.run(why="a program that makes 3,001 system calls")
    bare.expect("system calls", 3001, len(bare.taken))
    bare.expect("causes", {text.causes[Trap.SYSTEM_CALL]}, {taken.cause for taken in bare.taken})
    places = [machine.program.symbols[f"call{n}"] + text.after_system_call for n in range(3)]
    bare.expect("saved addresses", places, [taken.place for taken in bare.taken[:3]])
    bare.expect("the program's sum", 1 + 3 * 5 * 1000, bare.result)
    _interrupted(arch)


def _interrupted(arch: str) -> None:
    """An interrupt in user mode comes to the handler, and the program goes on."""
    text = BareBoard(arch).text
    end = text.load(2, 1) + text.system_call()
    program = text.load(2, 0) + text.load(1, 3000) + "\nloop:\n" + text.count_down(1, "loop") + end
    machine = _User(arch, program, repair=_ending(arch))
    bare = machine.bare
    for _ in range(_STEPS):
        if bare.cpu.pc == machine.program.symbols["loop"]:
            break
        bare.cpu.step()
    bare.cpu.raise_interrupt(bare.vector(0))
    bare.run(why="a program in user mode that is interrupted")
    bare.expect("its traps", [text.interrupt_cause(bare.vector(0)), text.causes[Trap.SYSTEM_CALL]], [t.cause for t in bare.taken])


def page_faults(arch: str) -> None:
    """Faults have their cause and address, and the instruction is executed again when its page is there."""
    text = BareBoard(arch).text
    page = BareBoard(arch).arch.page_size
    end = text.load(2, 1) + text.system_call()
    place = text.load(1, USER_DATA + 8) + text.load(0, _TWO) + "\ntrap:\n"
    mends = text.map_page(USER_DATA, _FIRST, True)
    cases = (
        (Trap.READ, place + text.load_word(0, 1) + end, False, True, USER_DATA + 8),
        (Trap.WRITE, place + text.store_word(1, 0) + end, False, True, USER_DATA + 8),
        (Trap.PROTECTION, place + text.store_word(1, 0) + end, True, False, USER_DATA + 8),
        (Trap.FETCH, text.load(0, _TWO) + text.call(USER_DATA) + end, False, True, USER_DATA),
    )
    for trap, program, data, writable, address in cases:
        machine = _User(arch, text.load(2, 0) + text.load(3, 0) + program, _ending(arch) + mends, data, writable)
        bare = machine.bare
        bare.put(_FIRST, text.function(99), USER_DATA)
        bare.run(why=f"a program that makes {trap.value}")
        causes = [text.causes[trap], text.causes[Trap.SYSTEM_CALL]]
        bare.expect(f"{trap.value}: the handler's causes", causes, [taken.cause for taken in bare.taken])
        first = bare.taken[0]
        if first.address // page != address // page:
            fail(f"{trap.value}: the address {address:#x}, or its page", hex(first.address))
        if trap is not Trap.FETCH:
            bare.expect(f"{trap.value}: saved address", machine.program.symbols["trap"], first.place)
        if trap in (Trap.WRITE, Trap.PROTECTION):
            bare.expect(f"{trap.value}: the word that is stored afterwards", _TWO, bare.read(_FIRST + 8))
        if trap is Trap.FETCH:
            bare.expect(f"{trap.value}: what the function returns afterwards", 99, bare.result)
