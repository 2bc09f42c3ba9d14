# SPDX-License-Identifier: GPL-2.0-only
"""Machine: a board with a kernel booted on it and ftrace attached."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, nullcontext
from types import TracebackType
from typing import TYPE_CHECKING, Self

from emu.cpu.guest_cpu import GuestCpu
from emu.cpu.host_signals import Held
from emu.cpu.snapshot import Checkpoint, Checkpoints
from emu.ftrace.arrays.traced_command import following, recording
from emu.ftrace.tracefs import TraceFS
from emu.guest_machine import Completed, Input, Terminal, exit_status, shell_line
from emu.history.travels import Travels
from emu.kernel.console_input import ConsoleInput
from emu.kernel.counting import Counting
from emu.kernel.files.served_tree import ServedTree
from emu.kernel.kernel import KernelView
from emu.machine.parameters import MachineParameters
from emu.machine.parts import Parts
from emu.machine.running import Running
from emu.machine.traced_kernel import TracedKernel
from emu.parameters import parameters_of

if TYPE_CHECKING:
    from emu.history.reaching import EventPlace
    from emu.kernel.profile import Profile
    from emu.machine.driven import Diverted, Driven
    from emu.trace import Trace
    from emu.trace.origin import Origin

__all__ = ["Machine"]

_LONGEST_ADVANCE = 1 << 56  # cycles: 22 years at 100 MHz


class Machine(TracedKernel, Travels):
    """A machine, booted and waiting for commands. `tracefs` is the guest's tracefs tree, and `cpus` are its CPUs.
    `program_files.file_offset("/bin/cat", "main")` is the file offset that a uprobe takes.

    >>> with Machine(cpus=2, seed=0) as m:
    ...     m.tracefs.write("current_tracer", "function_graph")
    ...     done = m.run("ls /bin | sed s/[aeiou]/z/g")
    ...     print(done.status, m.tracefs.read("trace"))

    Args: those of MachineParameters, or a MachineParameters object.

    Attributes:
        config: what the machine was made from, with the defaults of the timing model and the CPU model filled in.

    Raises:
        ValueError: a parameter is out of range, the image cannot be booted (BadImage), the userland does not exist
            (BadUserland), the host has another architecture (BadHostTree), or a share cannot be mounted.
        TypeError: `patching` is neither a name nor a function.
        OSError: the image, the RAM disk's file or a share's folder cannot be read, or the host has too little memory.
        GuestPanic: the kernel panicked while it booted.
        LimitReached: the boot took too long.
    """

    @parameters_of(MachineParameters)
    def __init__(self, parameters: MachineParameters) -> None:
        self.warnings: list[str] = []
        self._output = bytearray()
        self._sink = parameters.console or (lambda data: None)
        warn = parameters.warn or self.warnings.append
        with ExitStack() as opened:  # closed by close(), or when the constructor raises
            parts = Parts(parameters, self._console, warn, opened)
            self.board, self.kernel, self.ftrace, self.trace_array = parts.board, parts.kernel, parts.ftrace, parts.trace_array
            self.ramdisk, self.host_tree, self.program_files = parts.ramdisk, parts.host_tree, parts.program_files
            self.config = parameters.config(self.board.timing_model)
            self._running = Running(parts, warn)
            self._profile: Profile | None = None
            self.tracefs = TraceFS(parts.tracefs, self._running.settle, self._running.check_open, self._running.changing)
            view = KernelView(self.kernel)
            self.cpus = tuple(GuestCpu(cpu, view, self._running.step, self._running.check_open) for cpu in self.board.cpus)
            for name, root in (("tracefs", parts.tracefs), ("kprobes", parts.kprobes)):
                running = self._running
                served = ServedTree(root, begun=running.updates, busy=running.unsettled, check=running.check_work)
                self.kernel.file_server.serve(name, served)
            self._boot_options = parts.obey_command_line()
            limit, host_limit = parameters.boot_limit, parameters.boot_host_limit
            with self.kernel.limits.during(limit, host_limit, ", and the guest has not booted"):
                self._boot(parameters.seed % 1_000_000, parameters.booting)
            parts.save_timing()
            for line, refusal in parts.set_up.items():
                done = self.run(line, limit=limit, host_limit=host_limit)
                if done.status:
                    raise ValueError(f"{refusal}: {done.output.decode(errors='replace').strip()}")
            self._output.clear()
            self._callers = [callback for callback in (parameters.console, parameters.warn) if callback is not None]
            self._checkpoints = opened.enter_context(closing(Checkpoints(self.board, [self], self._callers)))
            self._opened = opened.pop_all()

    def _boot(self, time: int, booting: Callable[[int], None]) -> None:
        """Runs the guest until init waits for a command (see Running.boot)."""
        self._running.boot(self._boot_options, time, booting)
        self._output.clear()

    def __repr__(self) -> str:
        cpus = len(self.cpus)
        return f"<machine: {self.board.arch.name}, {cpus} CPU{'s' * (cpus > 1)}{', closed' * self._running.closed}>"

    def _repr_html_(self) -> str:
        """For notebooks: what the machine is, and what it has traced."""
        if self._running.closed:
            return ""
        from emu.trace.display.html import table

        board = self.board
        rows = [
            ("machine", f"{board.arch.name}, {len(self.cpus)} CPUs, {board.memory >> 20} MiB"),
            ("timing", board.timing_model.timing),
            ("virtual time", f"{board.nanoseconds(board.now) / 1e9:.6f} s"),
            ("tracer", self.tracefs.read("current_tracer").strip()),
        ]
        return table((), rows) + self.trace()._repr_html_()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Frees the memory and closes the files that the guest has open. Every other method raises ValueError from then on."""
        self._running.closed = True
        self._opened.close()

    def run(
        self,
        command: str | Sequence[str],
        *,
        trace: bool | Collection[str] = False,
        follow: bool = False,
        stdin: Input | bytes = b"",
        terminal: Terminal | None = None,
        meanwhile: Callable[[bool], None] | None = None,
        limit: int | None = None,
        host_limit: float | None = None,
    ) -> Completed:
        """Runs a command in the guest until it ends. Its background jobs go on during later runs.

        Args:
            command: a line for the guest's shell; or a program and its arguments, which it gets exactly as they are.
            trace: turns tracing on just before the command's process executes the command, and off when the command has
                ended: in the top trace array, or in the arrays with these names ("" is the top one). Until tracing is on,
                the arrays' triggers and function commands do nothing, except for histograms.
            follow: traces only the command and its children, from the command's first instruction on: functions and events, in
                the top trace array and in all instances. Tasks in set_ftrace_pid and set_event_pid are traced too.
            stdin: console input for the command: all its bytes, or an Input that gives them as they are typed.
            terminal: used instead of `stdin`: the guest sees the console as a terminal, with lines, an echo and ^C.
            meanwhile: called now and then, between two turns of CPUs; it may use `tracefs`. Its argument is True if every CPU
                sleeps and nothing will wake one: the command then waits for what `meanwhile` does.
            limit: nanoseconds of virtual time that the command may take.
            host_limit: seconds of the host's time that it may take.

        Raises:
            GuestPanic: the kernel panicked, or every CPU sleeps and nothing will wake one, or patching does not end.
            LimitReached: the command took too long; the machine stands still and can be asked for its trace.
            PoweredOff: the guest switched the machine off.
            BadCommand: the command is empty, too long, or has a NUL byte. It is a ValueError.
            KeyError: no trace array has a name in `trace`.
            KeyboardInterrupt: the host's user pressed ^C; the machine stands still and can be asked for its trace.

        If `run` raises, the command continues whenever the machine runs. The next `run` first kills the command and its
        process group with SIGKILL.
        """
        self._running.check()
        with self.kernel.limits.during(None, host_limit):
            self._running.kill_command()
        self._output.clear()
        console_input = ConsoleInput(self.kernel.console, self.kernel.device_interrupt, stdin, terminal)
        words = shell_line(command) if isinstance(command, str) else command
        with self.kernel.limits.during(limit, host_limit), self._traced(trace, follow) as on_exec:
            status = self._running.command(words, on_exec, console_input, meanwhile)
        return Completed(exit_status(status), bytes(self._output))

    @contextmanager
    def _traced(self, trace: bool | Collection[str], follow: bool) -> Iterator[Callable[[int], None] | None]:
        """A context in which a command is traced as `run` says. Its value is to be called when its process executes it."""
        traced, array = trace if isinstance(trace, Collection) else [""] if trace else [], self.trace_array
        with following(array) if follow else nullcontext() as follow_task, recording(array, traced) as begin:

            def on_exec(pid: int) -> None:
                if follow_task is not None:
                    follow_task(pid)
                begin()

            yield on_exec if follow or traced else None

    def advance(self, cycles: int, *, limit: int | None = None, host_limit: float | None = None) -> bool:
        """Lets time pass: background jobs and timers run until every CPU has reached the present time plus `cycles`.

        Args:
            cycles: how many cycles pass.
            limit: nanoseconds of virtual time that may pass, if that is less.
            host_limit: seconds of the host's time that it may take.

        Returns:
            False if every CPU sleeps and nothing will wake one: nothing will happen, however long the caller waits.

        Raises:
            GuestPanic, LimitReached, PoweredOff: as `run`.
            ValueError: the cycles are negative, or more than the guest can count.
        """
        self._running.check()
        if not 0 <= cycles <= _LONGEST_ADVANCE:
            raise ValueError(f"{cycles} cycles: 0 to {_LONGEST_ADVANCE} can pass at once")
        if limit is not None and self.board.cycles(limit) >= cycles:
            limit = None
        with self.kernel.limits.during(limit, host_limit):
            self.board.limit = self.board.now + cycles
            try:
                while self._running.for_a_moment():
                    pass
                return self.board.sleep_until_limit()
            finally:
                self.board.unlimited()

    def counting(self, *, functions: bool = False) -> Counting:
        """Counts cycles, instructions and the timing model's other events while the body of `with` runs the machine.

        >>> with m.counting() as counts:
        ...     m.run("ls /bin")
        >>> counts["cycles"], counts["branch-misses"], counts.of_cpu(0)["instructions"]

        Args:
            functions: also counts for each function: `counts.functions`.

        Raises:
            ValueError: functions cannot be counted with the static timing model; or (from `with`) they are being counted already.
        """
        self._running.check_open()
        if functions and self.board.timing is None:
            raise ValueError("functions are counted by the timing models pipeline and caches, not by static")
        if functions and self._profile is None:
            from emu.kernel.profile import Profile

            self._profile = Profile.of_kernel(self.kernel)
        return Counting(self.board, self._profile if functions else None)

    def trace(self, name: str | None = None) -> Trace:
        """The events that the trace arrays have recorded, as columns (emu.trace). The arrays keep them.

        >>> m.run("ls /bin", trace=True)
        >>> m.trace()["sched:sched_switch"]["next_pid"]

        Args:
            name: the instance whose events are wanted; "" is the top array. Default: the top array, or the first instance if
                the top array has recorded nothing. `buffers` of the result has all arrays.

        Raises:
            KeyError: there is no such instance.
        """
        self._running.check_open()
        from emu.trace import Trace
        from emu.trace.machine_recording import recording_of

        found = Trace(recording_of(self))
        return found if name is None else found.buffer(name)

    def origin(self, words: Sequence[str]) -> Origin:
        """What reproduces a recording of this machine. `words`: of the command line that makes it."""
        from emu.trace.origin import Origin

        tree = self.host_tree.digest() if self.host_tree is not None else None
        return Origin.of(self.kernel.image.digest, self.config.recorded(), words, tree)

    def inject_nmi(self, cpu: int) -> None:
        """Makes an NMI pending on a CPU. The CPU takes it before the next block that begins while NMIs are not masked.

        Interrupts that are off do not mask NMIs; what does, is the architecture's (docs/board.md).

        Raises:
            ValueError: there is no such CPU.
        """
        self._running.check_open()
        if not 0 <= cpu < len(self.board.cpus):
            raise ValueError(f"CPU {cpu}: there are {len(self.board.cpus)}")
        self.board.cpus[cpu].raise_nmi()

    def checkpoint(self) -> Checkpoint:
        """Remembers the whole machine as it is now. `restore` puts it back.

        >>> m.tracefs.write("current_tracer", "function")
        >>> before = m.checkpoint()
        >>> first = m.run("rm -r /etc; ls /etc").status, m.tracefs.read("trace")
        >>> m.restore(before)
        >>> first == (m.run("rm -r /etc; ls /etc").status, m.tracefs.read("trace"))
        True

        A checkpoint can be taken between any two calls, also while commands run in the background, while call sites are
        being patched, or after an error. It changes nothing. It holds some megabytes: the pages of memory that differ from
        those of an earlier checkpoint; the other pages are shared. It lasts as long as somebody refers to it.

        Raises:
            ValueError: the machine is closed.
            RuntimeError: the machine is not between two calls: the caller is a callback.
            Unsaveable: the caller has put something into the machine that cannot be put back. It is a TypeError.
            OSError: the host has too little memory.
        """
        self._running.check_stands()
        with Held():
            return self._checkpoints.save()

    def restore(self, checkpoint: Checkpoint) -> None:
        """Puts the machine back to a checkpoint, any number of times, in any order, and also after GuestPanic or PoweredOff.

        From there the machine runs as it did after the checkpoint, byte for byte. What is outside the machine stays as it is:
        the output that `console` and `warn` got, and the files of shared folders and of a RAM disk that is a file.

        Raises:
            ValueError: the machine is closed, or the checkpoint is of another machine.
            RuntimeError: the machine is not between two calls: the caller is a callback.
            OSError: the host has too little memory.
        """
        self._running.check_stands()
        with Held():
            self._checkpoints.restore(checkpoint)

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
    ) -> None:
        """Lets gdb debug the machine, forward and backward (docs/debugging.md), until gdb kills it.

        >>> m.serve_gdb(1234, "cat /proc/version")      # gdb vmlinux -ex 'target remote :1234'

        Args:
            port: of the loopback interface; 0: any that is free.
            command: what the guest runs when gdb continues.
            trace, follow: as in `run`, for the command.
            at: an event that the command's trace has: gdb finds the machine there, and not before the command.
            history: bytes that checkpoints may hold, from which gdb goes back.
            ready: called with the port when gdb can connect; returns a function that says whether more clients will come.

        Raises:
            ValueError: the machine is closed.
            BadCommand: the command cannot be given to the guest. It is a ValueError.
            OSError: the port cannot be used.
            NotReached: the run does not come to the event of `at`. It is a LookupError.
        """
        self._running.check()
        from emu.gdb.serving import serve  # imported when needed
        from emu.machine.debugging import views_of

        views = views_of(self.kernel, self.ftrace, self._running.reports, self.tracefs.read_pieces)
        self.travel.replay.points.budget = history
        with self._traced(trace, follow) as on_exec:
            found = None if at is None else functools.partial(self.at_event, at)
            serve(
                self.board, self.cpus, self.travel, views, port=port, command=command, ready=ready, on_exec=on_exec, at=found
            )

    def at_event(self, event: EventPlace) -> None:
        """Goes to where an event of this run's trace is about to be recorded (emu.history.reaching).

        Raises:
            NotReached: the run does not come to it. It is a LookupError.
            KeyError: there is no such instance.
        """
        from emu.history.reaching import reach

        reach(self.travel, event, self.trace_array)

    def driver(self) -> Driven:
        """Drives this machine by moments (emu.history); nothing else may run it meanwhile."""
        self._running.check()
        from emu.machine.driven import Driven

        return Driven(self.kernel, self._running, [self], [self._checkpoints, *self._callers], self._divert)

    def _divert(self, through: Diverted) -> None:
        self._sink = functools.partial(through, self._sink)

    def _console(self, data: bytes) -> None:
        self._output += data
        self._sink(data)
