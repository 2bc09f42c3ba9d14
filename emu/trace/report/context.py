# SPDX-License-Identifier: GPL-2.0-only
"""The data that the text of an event needs besides the event."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from emu.trace.lines import Texts
from emu.trace.ranges import distinct_values
from emu.trace.symbols import KernelSymbols
from emu.trace.trace import Trace

__all__ = ["ReportContext"]

_PRINTK = re.compile(rb'^(0x[0-9a-fA-F]{1,16})\s*:\s*"(.*)"\s*$', re.MULTILINE)
_ESCAPES = {b"\\n": b"\n", b"\\t": b"\t", b'\\"': b'"', b"\\\\": b"\\"}


_SOFTIRQS = tuple(
    f"{name}_SOFTIRQ"
    for name in ("HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU")
)


class SymbolValues(Mapping[str, int]):
    """Values for the kernel's variables and enumerators, which a file does not have: a symbol's address, or 0 and -1.

    Pointers to structures count in units of one byte.
    """

    def __init__(self, symbols: KernelSymbols) -> None:
        self._symbols = symbols

    def __contains__(self, name: object) -> bool:
        return True

    def __getitem__(self, name: str) -> int:
        if name in _SOFTIRQS:
            return _SOFTIRQS.index(name)
        if name.startswith("sizeof("):
            return 1
        if (address := self._symbols.relative_address_of(name)) is not None:
            return address
        return -1 if name.isupper() else 0

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


class ReportContext:
    """Symbols, texts and names of a trace, in trace-cmd's form. It is a `Guest` for print fmts."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.values: Mapping[str, int] = SymbolValues(trace.symbols)
        self.words = trace.recording.words
        self.symbol = cache(self._symbol)
        self.function = cache(self._function)

    @cached_property
    def printk_formats(self) -> dict[int, str]:
        """The kernel's strings to which events point."""

        def unescaped(text: bytes) -> str:
            return re.sub(rb'\\[nt"\\]', lambda found: _ESCAPES[found[0]], text).decode(errors="replace")

        return {int(address, 16): unescaped(text) for address, text in _PRINTK.findall(self.trace.recording.printk_formats)}

    def _function(self, address: int) -> str | None:
        """The function's name; None if there is none at the address."""
        return self.trace.symbols.function(address)

    def _symbol(self, address: int, *, offset: bool) -> str:
        """The text of %pS, or of %ps without the offset."""
        name = self._function(address)
        if name is None:
            return f"{address:#x}"
        found = self.trace.symbols.find(address)
        return f"{name}+{found.offset:#x}" if offset and found else name

    def string(self, address: int) -> str:
        """The string at an address."""
        if address in self.printk_formats:
            return self.printk_formats[address].rstrip("\n")
        return f"{address:x}"

    def pointer(self, address: int) -> str:
        """The text of %p."""
        return f"{address:#x}" if address else "(nil)"

    def function_column(self, addresses: NDArray[np.uint64], before: str = "", after: str = "", unknown: str = "{:#x}") -> Texts:
        """The name of the function at each address; `unknown`: the format for other addresses."""
        distinct, which = distinct_values(addresses)
        names = [self.function(address) or unknown.format(address) for address in distinct]
        return Texts([f"{before}{name}{after}" for name in names], which)
