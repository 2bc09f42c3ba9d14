# SPDX-License-Identifier: GPL-2.0-only
"""The formats of trace_printk() and other strings in the guest's memory, to which events refer by address."""

from __future__ import annotations

from collections.abc import Iterator

from emu.ftrace.guest.kernel_values import GuestValues
from emu.kernel.memory import GuestMemory

__all__ = ["PrintkFormats"]

_SECTIONS = ("__trace_printk_fmt", "__tracepoint_str")  # arrays of pointers to formats, and to strings that events refer to
_MOST = 1 << 16  # a longer list is broken
_ESCAPES = {ord("\n"): "\\n", ord("\t"): "\\t", ord('"'): '\\"'}


class PrintkFormats:
    """The strings. Iterating yields each one's address: the kernel's, then formats of modules that are or were loaded."""

    def __init__(self, memory: GuestMemory, values: GuestValues) -> None:
        self._memory = memory
        self._values = values

    def __iter__(self) -> Iterator[int]:
        memory, image = self._memory, self._memory.image
        for section in _SECTIONS:
            for place in range(image.symbol(f"__start_{section}"), image.symbol(f"__stop_{section}"), 8):
                if address := memory.read_word(place):
                    yield address
        head = image.symbol("trace_bprintk_fmt_list")
        link = image.offset("trace_bprintk_fmt.list")
        place = memory.read_word(head)
        for _ in range(_MOST):
            if place in (head, 0):
                return
            yield memory.member(place - link, "trace_bprintk_fmt.fmt")
            place = memory.read_word(place)

    def text(self) -> str:
        """The text of printk_formats."""
        lines = ((address, self._values.string_at(address) or "") for address in self)
        return "".join(f'{address:#x} : "{text.translate(_ESCAPES)}"\n' for address, text in lines)
