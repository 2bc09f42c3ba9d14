# SPDX-License-Identifier: GPL-2.0-only
"""What tracing must know of a guest's kernel: emu's own, which is a `Kernel`, or a Linux (`emu.linux.tracing`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.event.constants import Constants
from emu.ftrace.symbols import Symbol
from emu.kernel.kernel_log import Level

if TYPE_CHECKING:
    from emu.cpu.board import Board
    from emu.cpu.cpu import Cpu
    from emu.ftrace.sites.filters import Functions
    from emu.kernel.image import Symbol as KernelSymbol

__all__ = ["FunctionNames", "KernelValues", "Places", "TracedKernel", "TracedLog", "TracedMemory", "TracedSymbols", "TracedTasks"]


class TracedMemory(Protocol):
    """The kernel's memory, by its addresses. Every method raises LookupError where nothing is mapped."""

    @property
    def swapped(self) -> bool:
        """Whether the byte order is not the host's."""

    @property
    def byte_order(self) -> Literal["little", "big"]: ...

    def host_address(self, address: int) -> int:
        """The address in this process behind a kernel address."""

    def read(self, address: int, size: int) -> bytes: ...

    def string(self, address: int, longest: int = ...) -> str:
        """The NUL-terminated string at an address."""


class TracedTasks(Protocol):
    """The kernel's tasks, by their addresses."""

    def find_current(self, cpu: Cpu) -> int | None:
        """The task on a CPU; None if the kernel does not use the CPU yet."""

    def current(self, cpu: Cpu) -> int:
        """The same. Raises LookupError if there is none."""

    def running(self) -> Mapping[int, int]:
        """The tasks on the CPUs that the kernel uses, by CPU index."""

    def pid(self, task: int) -> int: ...

    def tgid(self, task: int) -> int: ...

    def comm(self, task: int) -> str: ...


class TracedSymbols(Protocol):
    """The names of functions and variables in the text of traces."""

    irq_entry_text: range  # the addresses of the interrupt entry functions

    def __iter__(self) -> Iterator[tuple[KernelSymbol, str]]:
        """All symbols, each with the name of its module ("" for the kernel)."""

    def lookup(self, addresses: NDArray[np.uint64]) -> Sequence[Symbol | None]:
        """The symbol at each address; None if there is none."""

    def function(self, which: str | int) -> range | None:
        """The addresses of a function, given by name or by an address in it; None if there is none."""

    def address(self, name: str) -> int | None:
        """The address of a symbol; None if there is none."""


class FunctionNames(Protocol):
    """The names of functions in messages."""

    def describe(self, address: int) -> str:
        """`function+0xoffset/0xsize`, followed by ` [module]` for a module's function; or the plain address."""


class TracedLog(Protocol):
    """The log that the kernel's users read."""

    def write(self, line: str, level: Level = ...) -> None: ...

    def write_once(self, line: str, level: Level = ...) -> None: ...


class KernelValues(Protocol):
    """Values of the kernel for the text of events."""

    @property
    def constants(self) -> Constants: ...

    def variables(self) -> Mapping[str, int]:
        """The present values of variables, by name."""

    def string_at(self, address: int) -> str | None:
        """The string at an address; None if there is none."""


class Places(Protocol):
    """The functions that can be traced, and where their calls are noticed."""

    functions: Functions
    addresses: NDArray[np.uint64]  # of each function in `functions`


class TracedKernel(Protocol):
    """A kernel on a board.

    Attributes:
        hot_areas: for each CPU that the kernel uses, by its index, where `guest_records.Hot` is.
        code_span: bytes from the kernel mapping's beginning in which functions of the kernel and of modules may be.
        reader_vector: the interrupt that wakes tasks that read trace_pipe; 0: no task of the guest does.
    """

    board: Board
    code_span: int
    reader_vector: int

    @property
    def hot_areas(self) -> Mapping[int, int]: ...

    @property
    def memory(self) -> TracedMemory: ...

    @property
    def tasks(self) -> TracedTasks: ...

    @property
    def symbols(self) -> FunctionNames: ...

    @property
    def log(self) -> TracedLog: ...

    @property
    def acting_cpu(self) -> Cpu:
        """The CPU whose task reads or writes a file of tracefs; if the host does, the CPU whose clock is furthest ahead."""

    @property
    def calling_cpu(self) -> Cpu | None:
        """The CPU whose task reads or writes a file of tracefs; None: the host does."""

    @property
    def release(self) -> str:
        """The kernel's version, as uname shows it."""

    @property
    def boot_time(self) -> int:
        """The seconds of its wall clock at boot, since 1970."""

    def next_wakeup(self) -> int:
        """The earliest cycle at which a reader that was woken in vain is woken again."""

    def is_dumping(self, cpu: Cpu) -> bool:
        """Whether the CPU prints a dump of the buffers."""

    def symbol_lines(self) -> Iterator[tuple[int, str, str, str]]:
        """The lines of /proc/kallsyms: address, type, name and module ("" for the kernel)."""

    def address_of(self, name: str) -> int:
        """The address of a symbol; 0 if the kernel does not have it."""
