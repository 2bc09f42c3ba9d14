# SPDX-License-Identifier: GPL-2.0-only
"""Records a machine's trace arrays to disk while it runs, however large the trace gets.

A CPU's full buffer hands over its pages before one is overwritten: so nothing is lost, and a recording needs
no more memory than the buffers. The pages go to separate files, one per array and CPU, until they are copied into
trace.dat.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal, Self

from emu.trace import machine_description as of_machine
from emu.trace.dat.writer import Description, PageFile, WrittenBuffer, write_dat

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from emu.ftrace.arrays.trace_array import TraceArray

__all__ = ["DiskRecording"]

_PAGE_SIZE = 4096


class DiskRecording:
    """Files with the recorded pages, deleted at the end of the `with` statement.

    >>> with DiskRecording(machine, Path(".")) as recording, open("trace.dat", "wb") as file:
    ...     with recording.taking():
    ...         machine.run("ls /bin", trace=True)
    ...     recording.write(file)

    Args:
        machine: the machine whose trace arrays are recorded: the top one and all instances.
        folder: the folder for the files.

    Raises:
        OSError: the files cannot be written. If this happens while the machine runs, the method that runs it raises the error.
    """

    def __init__(self, machine: of_machine.TracedMachine, folder: Path) -> None:
        self._machine = machine
        self._files = ExitStack()
        try:
            place = Path(self._files.enter_context(tempfile.TemporaryDirectory(prefix=".emu-recording-", dir=folder)))
            arrays = of_machine.arrays_of(machine)
            self._arrays = {name: _ArrayPages(array, place / str(n)) for n, (name, array) in enumerate(arrays)}
        except BaseException:
            self._files.close()
            raise
        for pages in self._arrays.values():
            self._files.callback(pages.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._files.close()

    @contextmanager
    def taking(self) -> Iterator[None]:
        """Takes pages out of the buffers during the body, and the rest at the end."""
        self.begin()
        try:
            yield
        finally:
            self.end()

    def begin(self) -> None:
        """Takes pages out of the buffers from now on."""
        for pages in self._arrays.values():
            pages.begin()

    def end(self) -> None:
        """Takes what is left in the buffers, and no more."""
        for pages in self._arrays.values():
            pages.end()

    def write(self, file: BinaryIO, *, version: Literal[6, 7] = 7, compress: bool = False, origin: bytes = b"") -> None:
        """Writes the recorded events as a trace.dat; see `write_dat`.

        Args:
            file: an empty, seekable file.
            origin: see `Description`.
        """
        buffers = [pages.buffer(name) for name, pages in self._arrays.items()]
        write_dat(file, describe(self._machine, origin), buffers, version=version, compress=compress)


class _ArrayPages:
    """One array's pages: a file for each CPU with any."""

    def __init__(self, array: TraceArray, place: Path) -> None:
        self._array = array
        self._place = place
        self._files: dict[int, BinaryIO] = {}

    def close(self) -> None:
        for file in self._files.values():
            file.close()

    def begin(self) -> None:
        self._array.reader.spill_to(self._append)

    def end(self) -> None:
        """Takes what is left in the buffers."""
        recorder = self._array.recorder
        recorder.reader.spill_to(None)
        for cpu in range(recorder.cpus):
            for pages in recorder.reader.drain(cpu):
                self._append(cpu, pages)
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


def describe(machine: of_machine.TracedMachine, origin: bytes = b"") -> Description:
    """The description of a machine for a trace.dat. `origin`: see `Description`."""
    read = machine.tracefs.read
    of_systems: dict[str, list[str]] = {}
    for system, text, _ in of_machine.formats(machine):
        of_systems.setdefault(system, []).append(text)
    return Description(
        byte_order=of_machine.kernel_of(machine).memory.byte_order,
        page_size=_PAGE_SIZE,
        header_page=read("events/header_page"),
        header_event=read("events/header_event"),
        ftrace_formats=of_systems.pop("ftrace"),
        event_formats=of_systems,
        kallsyms=of_machine.kallsyms(of_machine.kernel_of(machine)),
        printk_formats=of_machine.printk_formats(machine),
        saved_cmdlines=read("saved_cmdlines"),
        saved_tgids=read("saved_tgids"),
        trace_options=of_machine.trace_options(machine),
        btf=of_machine.btf(machine),
        trace_clock=read("trace_clock"),
        uname=of_machine.uname(of_machine.kernel_of(machine)),
        version=of_machine.program(),
        trace_id=int.from_bytes(hashlib.sha256(origin).digest()[:8], "little"),
        cpus=machine.trace_array.recorder.cpus,
        stats=of_machine.cpu_stats(machine),
        kernel_values=of_machine.kernel_values(machine),
        call_cost=of_machine.call_cost(machine),
        origin=origin,
    )
