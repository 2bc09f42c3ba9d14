# SPDX-License-Identifier: GPL-2.0-only
"""What can be traced and debugged of a Linux guest, from outside."""

from __future__ import annotations

import hashlib
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from emu.ftrace.arrays.traced_command import following, recording
from emu.history.travels import Travels
from emu.linux.config import LinuxConfig, LinuxParameters
from emu.linux.guest import Guest
from emu.linux.image import Kernel

if TYPE_CHECKING:
    from emu.cpu.board import Board
    from emu.cpu.guest_cpu import GuestCpu
    from emu.ftrace.arrays.trace_array import TraceArray
    from emu.ftrace.probes.host_probes import Hit, HostProbe
    from emu.ftrace.tracefs import TraceFS
    from emu.history.reaching import EventPlace
    from emu.kernel.counting import Counting
    from emu.linux.driven import Driven
    from emu.linux.programs import LinuxPrograms
    from emu.linux.tracing.tracing import LinuxTracing
    from emu.trace import Trace
    from emu.trace.origin import Origin

__all__ = ["TracedLinux"]


class TracedLinux(Travels, ABC):
    """The part of a LinuxMachine that traces and is debugged. Nothing is read of the kernel before the first use of it."""

    config: LinuxConfig
    board: Board
    cpus: tuple[GuestCpu, ...]
    warnings: list[str]
    _sinks: LinuxParameters
    _guest: Guest
    _kernel_path: Path

    @property
    @abstractmethod
    def _kernel(self) -> Kernel:
        """The kernel's image."""

    @abstractmethod
    def driver(self) -> Driven:
        """Drives this machine by moments."""

    @abstractmethod
    def _warn(self, text: str) -> None:
        """Says what the user must know."""

    @abstractmethod
    def _check(self) -> None:
        """Raises ValueError if the machine is closed, RuntimeError in the midst of a call."""

    @abstractmethod
    def _check_open(self) -> None:
        """Raises ValueError if the machine is closed."""

    @cached_property
    def _tracing(self) -> LinuxTracing:
        from emu.linux.tracing.tracing import LinuxTracing  # imported when needed: it is large

        found = LinuxTracing(
            self._guest, self._kernel, seed=self.config.seed, all_functions=self._sinks.all_functions, warn=self._warn
        )
        self._guest.ran = found.after_run
        return found

    @property
    def trace_array(self) -> TraceArray:
        """The top trace array."""
        self._check()
        return self._tracing.array

    @property
    def stack_tracer_enabled(self) -> bool:
        """While it is true, traced functions measure the depth of their stack."""
        self._check()
        return self._tracing.ftrace.stack_tracer_enabled

    @stack_tracer_enabled.setter
    def stack_tracer_enabled(self, on: bool) -> None:
        with self._changing():
            self._tracing.ftrace.set_stack_tracer(on)

    def settle(self, limit: int | None = None, host_limit: float | None = None) -> None:
        """Nothing is left to do for tracefs: what is asked of it takes effect at once."""
        self._check()

    def counting(self, *, functions: bool = False) -> Counting:
        """Counts cycles and instructions while the body of `with` runs the machine.

        >>> with m.counting(functions=True) as counts:
        ...     m.run("ls /bin")
        >>> counts["instructions"], counts.functions["vfs_read"]["instructions"], counts.functions["[user] ls"]["instructions"]

        Args:
            functions: also counts for each function of the kernel, and for each program.

        Raises:
            ValueError: (from `with`) functions are being counted already.
            NotTraceable: see `tracefs`, for functions.
        """
        self._check()
        from emu.kernel.counting import Counting

        return Counting(self.board, self._tracing.profile if functions else None)

    def trace(self, name: str | None = None) -> Trace:
        """The events that the trace arrays have recorded, as columns (emu.trace). The arrays keep them.

        Args:
            name: the instance whose events are wanted; "" is the top array. Default: the top array, or the first instance if
                the top array has recorded nothing.

        Raises:
            KeyError: there is no such instance.
        """
        self._check()
        from emu.trace import Trace
        from emu.trace.machine_recording import recording_of

        found = Trace(recording_of(self))
        return found if name is None else found.buffer(name)

    def probe(
        self, place: str | int, callback: Callable[[Hit], object], *, args: str | Sequence[str] = (), returns: bool = False
    ) -> HostProbe:
        """Calls a Python function whenever a CPU reaches an instruction of the kernel, or when a function returns.

        >>> name = "name=file->f_path.dentry->d_name.name:string"
        >>> with m.probe("vfs_read", lambda hit: print(hit.comm, hit.args["name"]), args=name):
        ...     m.run("cat /etc/passwd")

        As Machine.probe, but the function can only look: to change a register is a TypeError.

        Args:
            place: `vfs_read`, `vfs_read+0x10`, `module:function`, or an address. A module need not be loaded yet.
            callback: the function to call.
            args: the values that the function gets as `args`, in kprobe_events' syntax, also by the kernel's names.
            returns: call it when the function at `place` returns. A `place` that ends with `%return` means the same.

        Raises:
            TraceError: ENOENT, EILSEQ, EINVAL: the place cannot be probed, or an argument is wrong.
            NotTraceable: see `tracefs`.
        """
        with self._changing():
            return self._tracing.probes.add(place, callback, args.split() if isinstance(args, str) else args, returns)

    def patch(self, function: str | int, **code: str) -> None:
        """Raises NotImplementedError: nothing is written to a Linux guest. Machine.patch is for emu's own kernel."""
        raise NotImplementedError(f"{function} cannot be replaced: nothing is written to a Linux guest; emu's own has patch()")

    def origin(self, words: Sequence[str]) -> Origin:
        """What reproduces a recording of this machine. `words`: of the command line that makes it."""
        from emu.trace.origin import Origin

        return Origin.of(hashlib.sha256(self._kernel_path.read_bytes()).hexdigest(), self.config.recorded(), words)

    @cached_property
    def tracefs(self) -> TraceFS:
        """The host's tracefs: it traces the guest from outside. The guest has Linux's own, of which this one knows nothing.

        Raises:
            NotTraceable: the kernel was built without what tracing must know. It is a ValueError.
        """
        from emu.ftrace.tracefs import TraceFS

        self._check()
        return TraceFS(self._tracing.tree, check=self._check_open, acting=self._changing)

    @cached_property
    def program_files(self) -> LinuxPrograms:
        """The guest's programs: `program_files.file_offset("/bin/cat", "main")` is the file offset that a uprobe takes.

        Raises:
            NotTraceable: see `tracefs`.
        """
        from emu.linux.programs import LinuxPrograms

        self._check()
        return LinuxPrograms(self._tracing.dcache)

    def serve_gdb(
        self,
        port: int = 0,
        command: str | Sequence[str] | None = None,
        *,
        trace: bool | Collection[str] = False,
        follow: bool = False,
        at: EventPlace | None = None,
        history: int = 512 << 20,
        ready: Callable[[int], Callable[[], bool]] | None = None,
        has_debug: bool = False,
    ) -> None:
        """Lets gdb debug the machine, as Machine.serve_gdb. `write_symbols` makes gdb's symbol file.

        `has_debug`: gdb has debug information of the kernel instead, as `debug_file` finds it.
        """
        self._check()
        from emu.gdb.serving import serve  # imported when needed
        from emu.linux.debugging import views_of

        self.travel.replay.points.budget = history
        found = None if at is None else partial(self.at_event, at)
        with tempfile.TemporaryDirectory(prefix="emu-gdb-") as folder, self._traced(trace, follow):
            views = views_of(self.board, self._kernel, self._guest.symbols, self._pieces, Path(folder), has_debug)
            serve(self.board, self.cpus, self.travel, views, port=port, command=command, ready=ready, at=found)

    def at_event(self, event: EventPlace) -> None:
        """Goes to where an event of this run's trace is about to be recorded (emu.history.reaching).

        Raises:
            NotReached: the run does not come to it. It is a LookupError.
            KeyError: there is no such instance.
        """
        from emu.history.reaching import reach

        reach(self.travel, event, self.trace_array)

    def _pieces(self, path: str) -> Iterator[bytes]:
        return self.tracefs.read_pieces(path)

    @property
    def debug_file(self) -> Path | None:
        """The kernel's vmlinux with debug information, for gdb; None: there is none on this host."""
        from emu.linux.debug_files import debug_vmlinux  # imported when needed

        return debug_vmlinux(self._kernel)

    def write_symbols(self, path: Path | str, *, besides_debug: bool = False) -> None:
        """Writes an ELF file with the kernel's symbols, for gdb: a vmlinux without code and without debug information.

        `besides_debug`: only what gdb needs besides a vmlinux with debug information. It must read this file first.

        Raises:
            NoSymbols: the kernel has none. It is a ValueError.
            OSError: the file cannot be written.
        """
        from emu.linux.debugging import write_symbols  # imported when needed

        self._check_open()
        write_symbols(Path(path), self._kernel, self._guest.symbols, besides_debug=besides_debug)

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """A context for changing what native code may be reading."""
        self._check()
        with self.board.acting():
            yield

    @contextmanager
    def _traced(self, trace: bool | Collection[str], follow: bool) -> Iterator[None]:
        """During the body, the command that was given to the agent is traced as `run` says."""
        if not (trace or follow):
            yield
            return
        names = trace if isinstance(trace, Collection) else [""] if trace else []
        array = self._tracing.array
        with following(array) if follow else nullcontext() as follow_task, recording(array, names) as begin:

            def on_exec(pid: int) -> None:
                if follow_task is not None:
                    follow_task(pid)
                begin()

            with self._tracing.command_begins(on_exec):
                yield
