# SPDX-License-Identifier: GPL-2.0-only
"""Where functions really return to that a Linux's own tracing makes return to a trampoline: for gdb.

With function_graph, a task's return addresses are in its `ret_stack`: an array of struct ftrace_ret_stack, and since Linux 6.11
one of words, which has such structures among others. With return probes, they are in a list of struct rethook_node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from emu.ftrace.btf import Btf
from emu.gdb.callers import Callers
from emu.linux.memory import LinuxMemory
from emu.linux.symbols import Symbols

__all__ = ["callers_of"]

_TRAMPOLINES = "return_to_handler", "arch_rethook_trampoline"
_MOST_BYTES = 1 << 16  # of a stack of return addresses
_MOST_NODES = 1 << 10  # of return probes that a task has hit
_WORD = 8


def callers_of(
    memory: Callable[[], LinuxMemory], symbols: Symbols, btf: Btf, tasks: Callable[[], Iterable[int]]
) -> Callers:
    """What gdb must be told of a Linux.

    Args:
        memory: makes a view of the guest's memory.
        symbols, btf: of its kernel.
        tasks: the addresses of its tasks, those first that run.
    """
    places = [address for address in map(symbols.address, _TRAMPOLINES) if address is not None]

    def real(frame: int, pc: int) -> int:
        view = memory()
        try:
            for task in tasks():
                for address in _returns(view, btf, task, frame):
                    return address
        except LookupError:
            pass
        return pc

    return Callers([range(place, place + 1) for place in places], real, lambda registers: None)


def _returns(memory: LinuxMemory, btf: Btf, task: int, slot: int) -> Iterator[int]:
    """The addresses that were in a word of a task's stack, the latest first."""
    if btf.has("ftrace_ret_stack.retp") and btf.has("task_struct.ret_stack"):
        yield from _of_graph(memory, btf, task, slot)
    if btf.has("rethook_node.frame") and btf.has("task_struct.rethooks"):
        yield from _of_rethooks(memory, btf, task, slot)


def _of_graph(memory: LinuxMemory, btf: Btf, task: int, slot: int) -> Iterator[int]:
    stack = memory.word(task + btf.offset("task_struct.ret_stack"))
    used = memory.word(task + btf.offset("task_struct.curr_ret_stack"), 4)
    if not stack or used >> 31:
        return
    size = btf.target(btf.member("task_struct.ret_stack").type).size
    used = used * size if size == _WORD else (used + 1) * size  # the latest one's index, or how many words there are
    data = memory.read(stack, min(used, _MOST_BYTES))
    back = btf.offset("ftrace_ret_stack.retp") - btf.offset("ftrace_ret_stack.ret")
    for at in range(len(data) - len(data) % _WORD - _WORD, back - 1, -_WORD):
        if int.from_bytes(data[at : at + _WORD], "little") == slot:
            yield int.from_bytes(data[at - back : at - back + _WORD], "little")


def _of_rethooks(memory: LinuxMemory, btf: Btf, task: int, slot: int) -> Iterator[int]:
    at = memory.word(task + btf.offset("task_struct.rethooks"))
    for _ in range(_MOST_NODES):
        if not at:
            return
        node = at - btf.offset("rethook_node.llist")
        if memory.word(node + btf.offset("rethook_node.frame")) == slot:
            yield memory.word(node + btf.offset("rethook_node.ret_addr"))
        at = memory.word(at)
