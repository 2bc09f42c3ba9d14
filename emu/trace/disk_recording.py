# SPDX-License-Identifier: GPL-2.0-only
"""Records a machine's trace arrays to disk while it runs, however large the trace becomes.

A CPU's buffer gives its pages away when it is full, before one is overwritten: so nothing is lost, and a recording needs
no more memory than the buffers. The pages lie in files of their own, one for each array and CPU, until trace.dat is
written from them.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal, Self

from emu.trace.dat.writer import Description, PageFile, WrittenBuffer, write_dat

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from emu.ftrace.trace_array import TraceArray
    from emu.kernel.kernel import Kernel
    from emu.machine import Machine

__all__ = ["DiskRecording"]

_TOP = ""
_PAGE_SIZE = 4096


class DiskRecording:
    """Files with what is recorded; they go with the end of its `with`.

    >>> with DiskRecording(machine, Path(".")) as recording, open("trace.dat", "wb") as file:
    ...     with recording.taking():
    ...         machine.run("ls /bin", trace=True)
    ...     recording.write(file)

    Args:
        machine: whose trace arrays are recorded: the top one, and the instances that there are.
        folder: where the files may grow.

    Raises:
        OSError: they cannot be written. The run of the machine raises it if that happens then.
    """

    def __init__(self, machine: Machine, folder: Path) -> None:
        self._machine = machine
        self._files = ExitStack()
        try:
            place = Path(self._files.enter_context(tempfile.TemporaryDirectory(prefix=".emu-recording-", dir=folder)))
            self._arrays = {name: _ArrayPages(array, place / str(n)) for n, (name, array) in enumerate(self._names())}
        except BaseException:
            self._files.close()
            raise
        for pages in self._arrays.values():
            self._files.push(pages)

    def _names(self) -> Iterator[tuple[str, TraceArray]]:
        top = self._machine.trace_array
        yield _TOP, top
        yield from top.instances.items()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._files.close()

    @contextmanager
    def taking(self) -> Iterator[None]:
        """Takes what is recorded meanwhile out of the buffers, and in the end what is left in them."""
        for pages in self._arrays.values():
            pages.begin()
        try:
            yield
        finally:
            for pages in self._arrays.values():
                pages.end()

    def write(self, file: BinaryIO, *, version: Literal[6, 7] = 7, compress: bool = False, origin: bytes = b"") -> None:
        """Writes a trace.dat of what was recorded; see `write_dat`.

        Args:
            file: empty; it can seek.
            origin: see `Description`.
        """
        buffers = [pages.buffer(name) for name, pages in self._arrays.items()]
        write_dat(file, describe(self._machine, origin), buffers, version=version, compress=compress)


class _ArrayPages:
    """One array's pages: a file for each CPU that has any."""

    def __init__(self, array: TraceArray, place: Path) -> None:
        self._array = array
        self._place = place
        self._files: dict[int, BinaryIO] = {}

    def __exit__(self, *_: object) -> None:
        for file in self._files.values():
            file.close()

    def begin(self) -> None:
        self._array.recorder.spill_to(self._append)

    def end(self) -> None:
        """Takes what is left in the buffers."""
        recorder = self._array.recorder
        recorder.spill_to(None)
        for cpu in range(recorder.cpus):
            while (page := recorder.take_page(cpu)) is not None:
                self._file(cpu).write(page)
        for file in self._files.values():
            file.flush()

    def _append(self, cpu: int, pages: NDArray[np.uint8]) -> None:
        self._file(cpu).write(pages.data)

    def _file(self, cpu: int) -> BinaryIO:
        if cpu not in self._files:
            self._files[cpu] = self._place.with_suffix(f".{cpu}").open("x+b")
        return self._files[cpu]

    def buffer(self, name: str) -> WrittenBuffer:
        for file in self._files.values():
            file.seek(0)
        clock = self._array.recorder.clock.name
        return WrittenBuffer(name, clock, [PageFile(cpu, self._files[cpu]) for cpu in sorted(self._files)])


def describe(machine: Machine, origin: bytes = b"") -> Description:
    """What a trace.dat says of a machine. `origin`: see `Description`."""
    read, image = machine.tracefs.read, machine.kernel.image
    cpus = range(len(machine.cpus))
    release = machine.kernel.memory.text(image.symbol("init_uts_ns"), "new_utsname.release")
    systems = [name for name in machine.tracefs.listdir("events") if machine.tracefs.exists(f"events/{name}/enable")]
    return Description(
        byte_order="little" if image.byte_order == "<" else "big",
        page_size=_PAGE_SIZE,
        header_page=read("events/header_page"),
        header_event=read("events/header_event"),
        ftrace_formats=list(_formats(machine, "ftrace")),
        event_formats={system: list(_formats(machine, system)) for system in systems},
        kallsyms=_kallsyms(machine.kernel),
        printk_formats=read("printk_formats"),
        saved_cmdlines=read("saved_cmdlines"),
        trace_clock=read("trace_clock"),
        uname=f"Linux emu {release} {machine.board.arch.name}",
        version=f"emu {version('emu')}",
        trace_id=int.from_bytes(hashlib.sha256(origin).digest()[:8], "little"),
        cpus=len(cpus),
        stats=[f"CPU: {cpu}\n{read(f'per_cpu/cpu{cpu}/stats')}" for cpu in cpus],
        saved_tgids=read("saved_tgids"),
        origin=origin,
    )


def _formats(machine: Machine, system: str) -> Iterator[str]:
    for name in machine.tracefs.listdir(f"events/{system}"):
        path = f"events/{system}/{name}/format"
        if machine.tracefs.exists(path):
            yield machine.tracefs.read(path)


def _kallsyms(kernel: Kernel) -> str:
    """The kernel's symbols as /proc/kallsyms lists them, and the functions of modules, unloaded ones too.

    Of several at one address the one that a trace names: a reader might choose another.
    """
    found: dict[int, str] = {}
    for module in kernel.modules:
        for function in module.functions:
            found.setdefault(function.address, f"t {function.name}\t[{module.name}]")
    for function in kernel.image.functions:
        found.setdefault(function.address, f"T {function.name}")
    for name, address in kernel.image.symbols.items():
        found.setdefault(address, f"D {name}")
    return "".join(f"{address:016x} {text}\n" for address, text in sorted(found.items()))
