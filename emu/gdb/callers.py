# SPDX-License-Identifier: GPL-2.0-only
"""Callers that gdb does not find by itself, for `emu.gdb`, which gdb runs.

Tracing replaces return addresses. And an image without debug information does not say where its functions keep them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from emu.gdb.arch import GdbArch

__all__ = ["Callers", "answer"]


class Callers(NamedTuple):
    """What is known of them.

    Attributes:
        trampolines: the addresses of code to which calls return whose return addresses were replaced.
        real: (frame, program counter in such code) -> where the call really continues; the same if it is not known. The frame
            is `fp` of struct ftrace_ret_stack.
        caller: registers, by the kernel's names, -> those of the caller, as far as they differ; None: not known. "*" before a
            name: the address where it is saved.
    """

    trampolines: Sequence[range]
    real: Callable[[int, int], int]
    caller: Callable[[Mapping[str, int]], Mapping[str, int] | None]


def answer(callers: Callers | None, arch: GdbArch, words: Sequence[str]) -> str:
    """The answer to `monitor caller`.

    Args:
        callers: what is known of the guest; None: nothing.
        arch: the architecture's registers.
        words: none: which registers are needed, the stack's bias, and the first and last addresses of trampolines. Else
            NAME=VALUE for each of these registers that is known. The answer has the same form; NAME=*ADDRESS: it is saved there.

    Raises:
        ValueError: the words are wrong.
    """
    if callers is None:
        return ""
    if not words:
        ends = (f"{one.start:#x} {one.stop:#x}" for one in callers.trampolines)
        return " ".join((",".join(arch.unwound), str(arch.stack_bias), *ends))
    values = {name: int(value, 0) for name, _, value in (word.partition("=") for word in words)}
    counter, *following = arch.counters
    register, more = arch.frame
    if not {counter, register} <= values.keys() <= set(arch.unwound):
        raise ValueError(f"caller needs {', '.join(arch.unwound)}, as in pc=0x1000")
    pc = values[counter]
    found: Mapping[str, int]
    if any(pc in one for one in callers.trampolines):
        real = callers.real(values[register] + more, pc)
        found = {} if real == pc else {counter: real} | dict.fromkeys(following, real + 4)
    elif len(values) < len(arch.unwound):
        found = {}
    else:
        found = callers.caller({arch.kernel_names.get(name, name): values[name] for name in arch.unwound}) or {}
    names = {theirs: name for name, theirs in arch.kernel_names.items()}
    return " ".join(_item(*name.rpartition("*")[1:], names, value) for name, value in found.items())


def _item(star: str, name: str, names: Mapping[str, str], value: int) -> str:
    """NAME=VALUE or NAME=*ADDRESS. `names`: GDB's, where they differ."""
    return f"{names.get(name, name)}={star}{value:#x}"
