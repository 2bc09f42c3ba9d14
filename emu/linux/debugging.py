# SPDX-License-Identifier: GPL-2.0-only
"""What a debugger can ask of a Linux guest: its tasks, its symbols."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from emu.cpu.board import Board
from emu.gdb.libraries import Library
from emu.gdb.monitor import Views
from emu.gdb.symbol_file import Symbol, symbol_file, write_symbol_file
from emu.gdb.task_threads import Waiting, WaitingTask
from emu.linux import arch
from emu.linux.call_frames import USER_SPACE, call_frames
from emu.linux.debug_files import debug_modules
from emu.linux.image import Kernel
from emu.linux.kernel_btf import kernel_btf
from emu.linux.memory import LinuxMemory
from emu.linux.module_files import ModuleFiles
from emu.linux.orc import NoOrc, Orc
from emu.linux.return_stacks import callers_of
from emu.linux.structures import Structures
from emu.linux.symbols import Symbols

__all__ = ["views_of", "write_symbols"]

_MOST_TASKS = 1 << 16  # a longer list is broken
_IN_USER_SPACE = Symbol(USER_SPACE.start, "T", "user_space")
_LONGEST_NAME = 15  # bytes of a task's name


def views_of(
    board: Board, kernel: Kernel, symbols: Symbols, trace: Callable[[str], Iterator[bytes]], folder: Path, has_debug: bool
) -> Views:
    """The views of a Linux.

    Args:
        trace: as Views.trace.
        folder: where files with symbols of modules are written.
        has_debug: whether gdb has debug information of the kernel, and so no file of `write_symbols`.

    Raises:
        OSError: a file cannot be written.
    """

    def memory_now() -> LinuxMemory:
        return LinuxMemory(board.ram, symbols)

    @functools.cache
    def structures() -> Structures:
        return Structures(kernel_btf(kernel), symbols)

    def running_in(memory: LinuxMemory, known: Structures) -> dict[int, int]:
        """The indices of CPUs, by the addresses of the tasks that they run."""
        running = {}
        for cpu in board.cpus:
            with suppress(LookupError):  # the kernel has not started it
                running[memory.word(known.per_cpu_address(memory, cpu.index, known.per_cpu.current_task))] = cpu.index
        return running

    def tasks() -> Iterator[str]:
        memory, known = memory_now(), structures()
        at, running = known.task, running_in(memory, known)
        yield f"{'PID':>6} {'TGID':>6} {'CPU':>4} {'STATE':>6} {'task_struct':18} NAME"
        for task in _tasks(memory, known, symbols):
            pid, tgid, state = (memory.word(task + place.offset, place.size) for place in (at.pid, at.tgid, at.state))
            place = str(running[task]) if task in running else "-"
            yield f"{pid:6} {tgid:6} {place:>4} {state:#6x} {task:#018x} {memory.string(task + at.comm.offset, _LONGEST_NAME)}"

    def waiting() -> Iterator[WaitingTask]:
        memory, known = memory_now(), structures()
        at, running = known.task, running_in(memory, known)
        for task in _tasks(memory, known, symbols):
            if task not in running and (pid := memory.word(task + at.pid.offset, at.pid.size)):
                yield WaitingTask(pid, memory.string(task + at.comm.offset, _LONGEST_NAME), task)

    def saved(task: WaitingTask) -> Mapping[str, int]:
        memory = memory_now()
        sp = memory.word(task.address + kernel_btf(kernel).offset(f"task_struct.{arch.SAVED_STACK_POINTER}"))
        values = {name: memory.word(sp + 8 * n) for n, name in enumerate(arch.SWITCHED)}
        return values | {"sp": sp + 8 * len(arch.SWITCHED)}

    def patching() -> Iterator[str]:
        yield "nothing is written to a Linux guest"

    def tasks_now() -> Iterator[int]:
        """The addresses of all tasks, those first that run."""
        memory, known = memory_now(), structures()
        running = running_in(memory, known)
        yield from running
        yield from (task for task in _tasks(memory, known, symbols) if task not in running)

    modules = callers = None
    with suppress(ValueError):  # a kernel without BTF
        btf = kernel_btf(kernel)
        debug, unwinding = (debug_modules(kernel.path), _unwinding(folder, kernel, symbols)) if has_debug else ({}, [])
        modules = ModuleFiles(folder, board.ram, symbols, btf, debug, unwinding)
        callers = callers_of(memory_now, symbols, btf, tasks_now)
    return Views(trace, tasks, patching, modules, callers, Waiting(waiting, saved))


def _tasks(memory: LinuxMemory, known: Structures, symbols: Symbols) -> Iterator[int]:
    """The addresses of all tasks: of each thread group, its threads."""
    first = symbols.address("init_task")
    if first is None:
        raise LookupError("the kernel has no symbol init_task")
    yield first
    for leader in _linked(memory, first + known.task.tasks.offset):
        signal = memory.word(leader - known.task.tasks.offset + known.task.signal.offset)
        for thread in _linked(memory, signal + known.thread_head.offset):
            yield thread - known.task.thread_node.offset


def _linked(memory: LinuxMemory, head: int) -> Iterator[int]:
    """The addresses of what a list links, without its head."""
    at = memory.word(head)
    for _ in range(_MOST_TASKS):
        if at == head:
            return
        yield at
        at = memory.word(at)


def write_symbols(path: Path, kernel: Kernel, symbols: Symbols, *, besides_debug: bool = False) -> None:
    """Writes an ELF file with a kernel's symbols for gdb, and how it unwinds stacks.

    Args:
        besides_debug: only what debug information does not say: how stacks are unwound at entries, and where they are switched.

    Raises:
        OSError: it cannot be written.
    """
    if besides_debug:
        frames = _frames(kernel, symbols, _found(symbols), of_calls=False)
        data = symbol_file([_IN_USER_SPACE], arch.ELF_MACHINE, LinuxMemory.byte_order, [USER_SPACE], frames)
        write_symbol_file(path, data)
        return
    found = _found(symbols)
    first = next((one.address for one in found if one.type in "tT"), arch.KERNEL_HALF)
    code = [range(first, found[-1].address + 1)] if found else []
    if frames := _frames(kernel, symbols, found):
        code.append(USER_SPACE)
        found.append(_IN_USER_SPACE)
    write_symbol_file(path, symbol_file(found, arch.ELF_MACHINE, LinuxMemory.byte_order, code, frames))


def _unwinding(folder: Path, kernel: Kernel, symbols: Symbols) -> list[Library]:
    """A file that only says how the kernel's stacks are unwound."""
    path = folder / "unwinding"
    write_symbols(path, kernel, symbols, besides_debug=True)
    return [Library(str(path), (USER_SPACE.start,))]


def _found(symbols: Symbols) -> list[Symbol]:
    """The kernel's symbols, without numbers such as places of per-CPU variables."""
    known = zip(symbols.addresses.tolist(), symbols.types.tobytes().decode("latin-1"), symbols.names, strict=True)
    return [Symbol(*one) for one in known if one[0] >= arch.KERNEL_HALF and one[1] not in "aA"]


def _frames(kernel: Kernel, symbols: Symbols, found: Sequence[Symbol], *, of_calls: bool = True) -> bytes:
    """The kernel's call frames; b"": it has no ORC tables."""
    try:
        return call_frames(Orc.of_kernel(kernel, symbols), _without_callers(found), found[-1].address, of_calls=of_calls)
    except NoOrc:
        return b""


def _without_callers(symbols: Sequence[Symbol]) -> list[range]:
    """The code that programs enter only by system calls, or with which a thread begins. The symbols are in order."""
    found: list[range] = []
    for one, after in itertools.pairwise(symbols):
        if one.type in "tT" and one.name.startswith(arch.WITHOUT_CALLERS) and one.address < after.address:
            found.append(range(one.address, after.address))
    return found
