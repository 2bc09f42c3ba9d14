# SPDX-License-Identifier: GPL-2.0-only
"""Machine: a board with a kernel booted on it and ftrace attached."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from emu.cpu import arch as cpu_arch
from emu.cpu.board import Board
from emu.cpu.cpu import Cpu
from emu.cpu.host_signals import Held
from emu.cpu.ramdisk import RamDisk
from emu.cpu.smi import Smi
from emu.cpu.snapshot import Checkpoint, Checkpoints, Unsaveable
from emu.ftrace import arch as ftrace_arch
from emu.ftrace.arrays.recorder import Recorder
from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.arrays.trace_globals import TraceGlobals
from emu.ftrace.arrays.traced_command import following, recording
from emu.ftrace.errors import TraceError
from emu.ftrace.guest.boot_options import BootOptions
from emu.ftrace.guest.requests import GuestRequests
from emu.ftrace.sites.live_patches import LivePatch, Replaced
from emu.ftrace.sites.patching import Protocol
from emu.ftrace.sites.patching_driver import BadProtocol, Driver
from emu.ftrace.sites.site import Site
from emu.ftrace.sites.site_updates import Ftrace
from emu.ftrace.tracefs import TraceFS, build_kprobes_tree, build_tree
from emu.ftrace.tracers.tracer_cost import NONE, use_tracer_cost
from emu.installation import image_directory
from emu.kernel import arch as kernel_arch
from emu.kernel.commands import BadCommand, exit_status, shell_line
from emu.kernel.console import Console
from emu.kernel.console_input import ConsoleInput, Input, Terminal
from emu.kernel.counting import Counting
from emu.kernel.endings import GuestPanic, PoweredOff
from emu.kernel.files.served_tree import ServedTree
from emu.kernel.files.share import Share
from emu.kernel.files.shared_folder import SharedFolder
from emu.kernel.guest_cpu import GuestCpu
from emu.kernel.host_tree import BadHostTree, HostTree
from emu.kernel.image import BadImage, Image
from emu.kernel.kernel import Kernel
from emu.kernel.limits import LimitReached
from emu.kernel.program_files import ProgramFiles
from emu.kernel.userland import BadUserland, Userland

if TYPE_CHECKING:
    from emu.ftrace.probes.host_probes import Hit, HostProbe, HostProbes
    from emu.kernel.profile import Profile
    from emu.trace import Trace

__all__ = [
    "BadCommand", "BadHostTree", "BadImage", "BadProtocol", "BadUserland", "Checkpoint", "Completed", "GuestPanic", "Input",
    "LimitReached", "LivePatch", "Machine", "PoweredOff", "Share", "Smi", "Terminal", "TraceError", "Unsaveable",
    "image_directory",
]  # fmt: skip

_SMALLEST_MEMORY = 32 << 20
_EMPTY_DISK = 16 << 20
_THREADS_BEGIN = 10_000_000  # nanoseconds that the threads of a tracer of the boot get, once init is up
_LONGEST_ADVANCE = 1 << 56  # cycles: 22 years at 100 MHz


@dataclass(frozen=True)
class Completed:
    """A command that has ended: its exit status as a shell shows it, and what it wrote to the console."""

    status: int
    output: bytes


class Machine:
    """A machine, booted and waiting for commands. `tracefs` is the guest's tracefs tree, `cpus` are its CPUs, and
    `program_files.file_offset("/bin/cat", "main")` is what a uprobe there takes.

    >>> with Machine(arch="x86_64", cpus=2, seed=0) as m:
    ...     m.tracefs.write("current_tracer", "function_graph")
    ...     done = m.run("ls /bin | sed s/[aeiou]/z/g")
    ...     print(done.status, m.tracefs.read("trace"))

    Args:
        arch: name of the architecture.
        cpus: how many CPUs.
        seed: varies the interleaving of the CPUs; the same seed gives the same run, instruction for instruction.
        quantum: how many cycles a CPU may run ahead of the others.
        memory: bytes of RAM.
        frequency: of the CPUs, in Hz.
        ramdisk: what /dev/ram0 holds: a file's copy, or a disk that the caller made; default: 16 MiB of zeroes. Closed
            with the machine.
        image: a kernel image instead of the one that comes with the package.
        shares: host folders that the guest finds mounted; a text is what Share.parse takes, `DIR[:GUESTDIR][:rw]`.
        userland: `busybox` or `busybox=PATH`: the programs on PATH, and /bin/sh, are a static busybox's of the host;
            default: the guest's own.
        host_tree: the guest finds the host's programs and libraries, in /usr, /lib, /lib64 and /bin, to be read.
        console: also gets what the guest writes, as it comes.
        warn: gets warnings of the guest kernel and of tracing; default: they are kept in `warnings`.
        command_line: the kernel's parameters (firmware/README.md).
        patching: how call sites are changed (docs/races.md): one of the architecture's protocols, or a function of one's
            own; default: the architecture's first protocol.
        smi: interrupts by which the firmware takes time from the CPUs, unseen by the guest; a text is what Smi.parse takes,
            `PERIOD:LENGTH[:CPU]`; default: there are none.
        timing: what instructions cost: `static`, `pipeline` or `caches` (docs/timing.md); default: the architecture's.
        cpu_model: the CPU that `pipeline` and `caches` follow; default: the architecture's first.
        tracer_cost: the time that recording takes besides what the guest executes for it: `none`, or `linux`, as on a real
            machine (emu/ftrace/tracers/tracer_cost.py).
        boot_limit: nanoseconds of virtual time that the guest may take to boot.
        boot_host_limit: seconds of the host's time that it may take for that.
        booting: called now and then while the guest boots, with the number of CPUs that are up.

    Raises:
        ValueError: a parameter is out of range, the image cannot be booted (BadImage), there is no such userland
            (BadUserland), the host is of another architecture (BadHostTree), or a share cannot be mounted.
        TypeError: `patching` is neither a name nor a function.
        OSError: the image, the RAM disk's file or a share's folder cannot be read, or the host has too little memory.
        GuestPanic: the kernel panicked while it booted.
        LimitReached: it took too long.
    """

    def __init__(
        self,
        arch: str = "x86_64",
        cpus: int = 2,
        seed: int = 0,
        quantum: int = 1000,
        memory: int = 128 << 20,
        frequency: int = 100_000_000,
        ramdisk: RamDisk | Path | str | None = None,
        image: Path | str | None = None,
        shares: Sequence[Share | str] = (),
        userland: str | None = None,
        host_tree: bool = False,
        console: Callable[[bytes], None] | None = None,
        warn: Callable[[str], None] | None = None,
        command_line: str = "",
        patching: str | Protocol | None = None,
        smi: Smi | str | None = None,
        timing: str | None = None,
        cpu_model: str | None = None,
        tracer_cost: str = NONE,
        boot_limit: int | None = None,
        boot_host_limit: float | None = None,
        booting: Callable[[int], None] = lambda cpus: None,
    ) -> None:
        hardware = cpu_arch.load(arch)
        if memory < _SMALLEST_MEMORY or memory % hardware.page_size:
            raise ValueError(f"{memory} bytes of memory: at least {_SMALLEST_MEMORY >> 20} MiB, in whole pages, are needed")
        kernels = kernel_arch.load(arch)
        directory = image_directory(arch)
        if image is None and not (directory / "vmlinux").exists():
            raise ValueError(f"there is no kernel image for {arch}")
        kernel_image = Image(Path(image or directory / "vmlinux"), machine=kernels.elf_machine)
        folders = [Share.parse(share) if isinstance(share, str) else share for share in shares]
        self.warnings: list[str] = []
        self._output = bytearray()
        self._sink = console or (lambda data: None)
        callers = [callback for callback in (console, warn) if callback is not None]
        self._closed = False
        with ExitStack() as opened:  # closed by close(), or when the constructor raises
            if ramdisk is None:
                ramdisk = RamDisk(_EMPTY_DISK)
            self.ramdisk = opened.enter_context(RamDisk.of_file(Path(ramdisk)) if isinstance(ramdisk, Path | str) else ramdisk)
            timing = hardware.default_timing if timing is None else timing
            board = Board(hardware, cpus, memory, quantum, seed, frequency, timing, cpu_model)
            self.board = opened.enter_context(closing(board))
            if smi is not None:
                self.board.interrupt_unseen(Smi.parse(smi) if isinstance(smi, str) else smi)
            self._warn = warn = warn or self.warnings.append
            self.kernel = Kernel(self.board, kernels, kernel_image, Console(self._console), warn, self.ramdisk)
            initramfs = (directory / "initramfs.cpio").read_bytes()
            lines = {}  # of the guest's shell, before the machine is the caller's: what is said if one fails
            self.host_tree = opened.enter_context(closing(HostTree(arch, initramfs))) if host_tree else None
            if self.host_tree is not None:
                if userland is not None:
                    raise BadUserland("the host's tree and another userland do not go together")
                for name, root in self.host_tree.trees:
                    self.kernel.file_server.serve(name, ServedTree(root, read_only=True))
                command_line = f"{self.host_tree.parameters} {command_line}".rstrip()
                lines[self.host_tree.set_up] = "the host's tree cannot be mounted"
            if userland is not None:
                programs = opened.enter_context(closing(Userland.parse(userland, arch, kernels.elf_machine)))
                self.kernel.file_server.serve(programs.name, ServedTree(programs.root, read_only=True))
                command_line = f"{programs.parameters} {command_line}".rstrip()
                lines[programs.set_up] = f"{programs.path} cannot be the userland"
            for number, share in enumerate(folders):
                folder = opened.enter_context(closing(SharedFolder(share.directory, writable=share.writable)))
                self.kernel.file_server.serve(f"share{number}", ServedTree(folder.root, read_only=not share.writable))
                lines[share.mounting(f"share{number}")] = f"cannot mount {share.directory} at {share.mount_point}"
            opened.callback(self.kernel.file_server.close)
            below = self.host_tree.folders if self.host_tree is not None else ()
            mounted = [(share.mount_point, share.directory) for share in folders]
            self.program_files = ProgramFiles(initramfs, mounted, below)
            if board.timing is not None:
                board.timing.undecoded = self._undecoded
                board.timing.load(kernel_image.digest)
                opened.callback(board.timing.save, kernel_image.digest)
            self.kernel.load(initramfs, command_line, seed)
            tracing = ftrace_arch.load(arch)
            trace_globals = TraceGlobals(self.kernel, tracing, warn, seed)
            use_tracer_cost(trace_globals.records, tracer_cost)
            self.ftrace = Ftrace(self.kernel, tracing, trace_globals, warn)
            if patching is not None:
                self.patching.protocol = patching
            self.trace_array = TraceArray(self.ftrace, Recorder(self.kernel, trace_globals))
            tree = build_tree(self.trace_array)
            self.tracefs = TraceFS(tree, self.settle, self._check_open, self._changing)
            self._probes: HostProbes | None = None
            self._profile: Profile | None = None
            self.cpus = tuple(GuestCpu(cpu, self.kernel, self._step, self._check_open) for cpu in self.board.cpus)
            for name, root in (("tracefs", tree), ("kprobes", build_kprobes_tree(self.ftrace, trace_globals))):
                served = ServedTree(root, begun=self._updates, busy=lambda: self._unsettled, check=self._check_work)
                self.kernel.file_server.serve(name, served)
            self.ftrace.sites.initialise()
            self.ftrace.keys.check()
            self._boot_options = BootOptions(self.trace_array, TraceFS(tree), self.kernel.log, warn)
            self._boot_options.obey(command_line)
            with self.kernel.limits.during(boot_limit, boot_host_limit, ", and the guest has not booted"):
                self._boot(seed % 1_000_000, booting)
            if board.timing is not None:
                board.timing.save(kernel_image.digest)
            for line, refusal in lines.items():
                done = self.run(line, limit=boot_limit, host_limit=boot_host_limit)
                if done.status:
                    raise ValueError(f"{refusal}: {done.output.decode(errors='replace').strip()}")
            self._output.clear()
            self._checkpoints = opened.enter_context(closing(Checkpoints(self.board, [self], callers)))
            self._opened = opened.pop_all()

    def _boot(self, time: int, booting: Callable[[int], None]) -> None:
        """Runs the guest until init waits for a command, and all else sleeps: or has begun, if it is a tracer's threads.

        Clocks start at `time`: a seed also moves the timer ticks.
        """
        self.kernel.start(time, self.ftrace, GuestRequests(self.kernel, self.trace_array))
        while not self.kernel.hot_areas and self._run_for_a_moment():
            pass
        self._boot_options.obey_when_traps_are_taken()
        restless = self.trace_array.ops.tracer.has_threads
        while self._run_for_a_moment():
            booting(len(self.kernel.hot_areas))
            if restless and self.kernel.commands.awaited:
                self.board.limit = self.board.now + self.board.cycles(_THREADS_BEGIN)
                restless = False
        self.board.unlimited()
        missing = sorted(set(range(len(self.board.cpus))) - set(self.kernel.hot_areas))
        if missing:
            raise GuestPanic(f"the guest kernel did not start CPU {', '.join(map(str, missing))}")
        self._output.clear()

    def __repr__(self) -> str:
        cpus = len(self.cpus)
        return f"<machine: {self.board.arch.name}, {cpus} CPU{'s' * (cpus > 1)}{', closed' * self._closed}>"

    def _repr_html_(self) -> str:
        """For notebooks: what it is, and what it has traced."""
        if self._closed:
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
        """Frees the memory and closes the files that the guest has open. Every other method then raises ValueError."""
        self._closed = True
        self._opened.close()

    def _check_open(self) -> None:
        if self._closed:
            raise ValueError("the machine is closed")

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
            trace: turn tracing on when the process that becomes the command is about to execute it, and off when the command
                has ended: in the top trace array; or in the arrays of these names, "" for the top one. Until it is on, their
                triggers and commands of functions do nothing, but for histograms.
            follow: trace only the command, from its first instruction on, and its children: functions and events, in the
                top trace array and in the instances that there are. Tasks in set_ftrace_pid and set_event_pid are traced, too.
            stdin: console input for the command: all its bytes, or an Input that gives them as they are typed.
            terminal: instead of `stdin`: the console is a terminal to the guest, with lines, an echo and ^C.
            meanwhile: called now and then, between two turns of CPUs; it may use `tracefs`. With True when every CPU sleeps
                and nothing will wake one: the command then waits for what `meanwhile` does.
            limit: nanoseconds of virtual time that the command may take.
            host_limit: seconds of the host's time that it may take.

        Raises:
            GuestPanic: the kernel panicked, or every CPU sleeps and nothing will wake one, or patching does not end.
            LimitReached: the command took too long; the machine stands still and can be asked for its trace.
            PoweredOff: the guest switched the machine off.
            BadCommand: the command is empty, too long, or has a NUL byte. It is a ValueError.
            KeyError: `trace` has a name that no trace array has.
            KeyboardInterrupt: from the host; the machine stands still and can be asked for its trace.

        A command that is still running when `run` raises goes on whenever the machine runs. The next `run` first kills
        it and its process group, as by SIGKILL.
        """
        self._check_open()
        self._check_calls()
        with self.kernel.limits.during(None, host_limit):
            self._kill_what_runs()
        self._output.clear()
        console_input = ConsoleInput(self.kernel.console, self.kernel.device_interrupt, stdin, terminal)
        words = shell_line(command) if isinstance(command, str) else command
        traced = trace if isinstance(trace, Collection) else [""] if trace else []
        with (
            self.kernel.limits.during(limit, host_limit),
            following(self.trace_array) if follow else nullcontext() as follow_task,
            recording(self.trace_array, traced) as begin,
        ):

            def on_exec(pid: int) -> None:
                if follow_task is not None:
                    follow_task(pid)
                begin()

            status = self._run_command(words, on_exec if follow or traced else None, console_input, meanwhile)
        return Completed(exit_status(status), bytes(self._output))

    def _run_command(
        self,
        words: Sequence[str],
        on_exec: Callable[[int], None] | None,
        console_input: ConsoleInput,
        meanwhile: Callable[[bool], None] | None,
    ) -> int:
        """Runs a program to its end, and returns its wait status."""
        commands = self.kernel.commands
        commands.give(words, on_exec)
        try:
            while commands.status is None:
                busy = self._run_for_a_moment()
                waits = not busy and commands.status is None
                if meanwhile is not None:
                    console_input.pump(wait=False)
                    meanwhile(waits)
                elif not console_input.pump(wait=waits) and waits:
                    raise self._wedged("the command does not end: every CPU sleeps, and nothing will wake one")
        finally:
            commands.forget()
        printed_events = self.trace_array.globals.printed_events
        due = printed_events.asked
        while (self.kernel.work.busy or printed_events.printed < due) and self._run_for_a_moment():
            pass  # what it made the host ask for belongs to it: a dump of the trace, say
        return commands.status

    def _kill_what_runs(self) -> None:
        """Ends a command that was left running when its `run` raised."""
        commands = self.kernel.commands
        commands.give_up()
        while commands.running:
            if not self._run_for_a_moment() and commands.running:
                raise self._wedged("the command that was left running cannot be killed: every CPU sleeps")

    def _run_for_a_moment(self) -> bool:
        """Runs the machine for a moment, for the guest. Warns if the guest asked for patching that was refused."""
        busy = self._moment()
        if (refused := self.ftrace.take_refused()) is not None:
            self._warn(refused.why)
        return busy

    def _moment(self) -> bool:
        """Runs the machine as Kernel.run does. Tracing then acts on what native code has found meanwhile.

        Raises:
            GuestPanic: also if patching does not end.
        """
        busy = self.kernel.run()
        self._after_run()
        if self.patching.overdue:
            raise self._wedged("patching does not end")
        return busy

    def _wedged(self, why: str) -> GuestPanic:
        """The error for a guest that cannot go on. Its lines say what each CPU executes."""
        return GuestPanic(self.kernel.where(why))

    def advance(self, cycles: int, *, limit: int | None = None, host_limit: float | None = None) -> bool:
        """Lets time pass: background jobs and timers go on until no CPU is behind the present time plus `cycles`.

        Args:
            cycles: how many.
            limit: nanoseconds of virtual time that may pass; it counts only if that is less.
            host_limit: seconds of the host's time that it may take.

        Returns:
            False if every CPU sleeps with nothing to wake it: nothing will happen however long one waits.

        Raises:
            GuestPanic, LimitReached, PoweredOff: as `run`.
            ValueError: the cycles are negative, or more than the guest can count.
        """
        self._check_open()
        self._check_calls()
        if not 0 <= cycles <= _LONGEST_ADVANCE:
            raise ValueError(f"{cycles} cycles: 0 to {_LONGEST_ADVANCE} can pass at once")
        if limit is not None and self.board.cycles(limit) >= cycles:
            limit = None
        with self.kernel.limits.during(limit, host_limit):
            self.board.limit = self.board.now + cycles
            try:
                while self._run_for_a_moment():
                    pass
                return self.board.sleep_until_limit()
            finally:
                self.board.unlimited()

    def counting(self, *, functions: bool = False) -> Counting:
        """Counts cycles, instructions and what else the timing model counts, while the body of `with` runs the machine.

        >>> with m.counting() as counts:
        ...     m.run("ls /bin")
        >>> counts["cycles"], counts["branch-misses"], counts.of_cpu(0)["instructions"]

        Args:
            functions: also count by function: `counts.functions`.

        Raises:
            ValueError: functions cannot be counted, as the static timing model does not, or (by `with`) are being counted.
        """
        self._check_open()
        if functions and self.board.timing is None:
            raise ValueError("functions are counted by the timing models pipeline and caches, not by static")
        if functions and self._profile is None:
            from emu.kernel.profile import Profile

            self._profile = Profile(self.kernel)
        return Counting(self.board, self._profile if functions else None)

    def trace(self, name: str | None = None) -> Trace:
        """What the trace arrays have recorded, as columns (emu.trace). They keep it.

        >>> m.run("ls /bin", trace=True)
        >>> m.trace()["sched:sched_switch"]["next_pid"]

        Args:
            name: of an instance whose events are meant; "": the top array. Default: the top array, or the first instance
                if that has recorded nothing. `buffers` of the result has all.

        Raises:
            KeyError: there is no such instance.
        """
        self._check_open()
        from emu.trace import Trace
        from emu.trace.machine_recording import recording_of

        found = Trace(recording_of(self))
        return found if name is None else found.buffer(name)

    def inject_nmi(self, cpu: int) -> None:
        """Makes an NMI pending on a CPU. The CPU takes it before the next block that begins while NMIs are not masked.

        On x86-64 the CPU takes it even with interrupts off, but not inside the handler of another NMI. On SPARC V9 an
        NMI is an interrupt of level 15: it needs a PIL below 15 and trap level 0, but not PSTATE.IE (docs/board.md).

        Raises:
            ValueError: there is no such CPU.
        """
        self._check_open()
        if not 0 <= cpu < len(self.board.cpus):
            raise ValueError(f"CPU {cpu}: there are {len(self.board.cpus)}")
        self.board.cpus[cpu].raise_nmi()

    def site(self, function: str | int) -> Site:
        """The call site of a function, which is given by its name or by an address in it.

        Raises:
            LookupError: there is no such function, there are several, or it cannot be traced.
        """
        self._check_open()
        return Site(self.kernel, self.ftrace, self.trace_array, function)

    def probe(
        self, place: str | int, callback: Callable[[Hit], object], *, args: str | Sequence[str] = (), returns: bool = False
    ) -> HostProbe:
        """Has a Python function called whenever a CPU comes to an instruction of the kernel, or when a function returns.

        >>> with m.probe("vfs_read", lambda hit: print(hit.comm, hit.args["count"]), args="count=$arg3:u64"):
        ...     m.run("cat /etc/passwd")

        The machine stands while the function runs. The CPU is before the instruction, and goes on with the registers that
        the function may have changed. If the function raises an exception, the method that has run the machine raises it;
        the machine can then go on. The function may look at everything, and remove probes, but not run the machine or write
        to tracefs: that is a RuntimeError.

        Args:
            place: `vfs_read`, `vfs_read+0x10`, `module:function`, or an address. A module need not be loaded yet.
            callback: the function.
            args: what it gets as `args`, as kprobe_events has it: `fd=%di name=+0(%si):string`.
            returns: whether it is called when the function at `place` returns; also if `place` ends with `%return`.

        Raises:
            TraceError: ENOENT, EILSEQ, EINVAL: the place cannot be probed, or an argument is wrong; ENOMEM.
            GuestPanic, LimitReached, PoweredOff, BadProtocol: as `settle`.
        """
        self._check_open()
        self._check_calls()
        if self._probes is None:
            from emu.ftrace.probes.host_probes import HostProbes

            self._probes = HostProbes(self.kernel, self.ftrace, self.trace_array.recorder.globals, self.settle)
        probe = self._probes.add(place, callback, args.split() if isinstance(args, str) else args, returns)
        self.settle()
        return probe

    def _check_calls(self) -> None:
        if self.board.calls_python:
            raise RuntimeError("the machine stands for a callback: this can be done when it has returned")

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """For what changes something that native code may just be looking at."""
        self._check_calls()
        with self.board.acting():
            yield

    def patch(self, function: str | int, *, asm: str | None = None, to: str | None = None) -> LivePatch:
        """Replaces a function of the kernel or of a module while the guest runs: calls go elsewhere from now on.

        >>> with m.patch("sys_getpid", asm="mov eax, 42; ret"):
        ...     m.run("getpid")

        Tracers still see the function called. Calls that are under way end in the old code. If the function's module is
        unloaded, the patch goes with it.

        Args:
            function: its name, or an address in it.
            asm: the new code, in x86-64's assembly language with Intel's syntax or in SPARC V9's. It is called as the function
                is, and returns as the function does. Symbols of the kernel and its modules may be used; labels end with a
                colon. It must not sleep, nor call what does: `to` is for that.
            to: instead of `asm`, the name of another function, with the same parameters.

        Raises:
            LookupError: there is no such function, there are several, or it has no call site.
            TraceError: EBUSY, when it is replaced already, or `ftrace_enabled` is false; EINVAL, when it cannot be replaced;
                ENODEV, when tracing has failed; ENOMEM, when there is no place for the code.
            ValueError: the code cannot be assembled.
            TypeError: there is not one of `asm` and `to`.
            GuestPanic, LimitReached, PoweredOff, BadProtocol: as `settle`.
        """
        self._check_open()
        self._check_calls()
        if (asm is None) == (to is None):
            raise TypeError("a function is replaced either by `asm` or by `to`")
        patches, site = self.ftrace.live_patches, self.site(function)
        replaced = Replaced(site.name, site.number, site.address)
        code = patches.detour(replaced, to) if to is not None else patches.assembled(asm or "")
        patch = self.ftrace.replace(replaced, code, self.settle)
        try:
            self.settle()
        except BadProtocol:
            patches.remove(patch)
            raise
        return patch

    @property
    def patching(self) -> Driver:
        """How call sites are changed, and how far a change is."""
        return self.ftrace.driver

    def _updates(self) -> int:
        """How often something has begun that may go on in the guest."""
        return self.ftrace.updates + self.kernel.work.asked

    @property
    def _unsettled(self) -> bool:
        """Whether something goes on in the guest that tracefs has begun."""
        return self.patching.busy or self.kernel.work.busy

    def _step(self, cpu: Cpu) -> bool:
        """Executes one instruction of a CPU; see GuestCpu.step."""
        executed = self.kernel.step(cpu)
        self._after_run()
        return executed

    def _after_run(self) -> None:
        """Acts on what native code and callbacks have left to be done."""
        self.trace_array.after_run()
        if self._probes is not None:
            self._probes.after_run()

    @property
    def ftrace_enabled(self) -> bool:
        """`/proc/sys/kernel/ftrace_enabled`: while it is false no function is traced, whatever tracefs says.

        Raises:
            GuestPanic, PoweredOff, BadProtocol: (when it is set) as `settle`.
        """
        self._check_open()
        return self.ftrace.enabled

    @ftrace_enabled.setter
    def ftrace_enabled(self, on: bool) -> None:
        self._check_open()
        self._check_calls()
        self.ftrace.set_enabled(on)
        self.settle()

    @property
    def stack_tracer_enabled(self) -> bool:
        """`/proc/sys/kernel/stack_tracer_enabled`: while it is true, traced functions look how deep their stack is.

        Raises:
            GuestPanic, PoweredOff, BadProtocol: (when it is set) as `settle`.
        """
        self._check_open()
        return self.ftrace.stack_tracer_enabled

    @stack_tracer_enabled.setter
    def stack_tracer_enabled(self, on: bool) -> None:
        self._check_open()
        self._check_calls()
        if on != self.stack_tracer_enabled:
            self.settle()  # sites may be changing, and are changed once more then
            self.ftrace.set_stack_tracer(on)
            self.settle()

    def settle(self, limit: int | None = None, host_limit: float | None = None) -> None:
        """Runs the machine until all that tracefs asked for has been done: patching, and work of the guest's kernel.

        Args:
            limit: nanoseconds of virtual time that it may take.
            host_limit: seconds of the host's time that it may take.

        Raises:
            GuestPanic: as `run`; or the patching does not end: a step is not answered for 5,000,000 cycles; or every CPU
                sleeps.
            LimitReached, PoweredOff: as `run`.
            BadProtocol: the patching protocol is a function that cannot be used (docs/races.md). It is a TraceError.
        """
        self._check_open()
        self._check_calls()
        with self.kernel.limits.during(limit, host_limit):
            while self._unsettled:
                if not self._moment() and self._unsettled:
                    what = "patching does not end" if self.patching.busy else "ktraced does not do its work"
                    raise self._wedged(f"{what}: every CPU sleeps")
        if (refused := self.ftrace.take_refused()) is not None:
            raise refused
        self._check_work()

    def _check_work(self) -> None:
        """Raises the error of work that tracefs asked for and that the guest could not do, if there is one."""
        if (refusal := self.kernel.work.take_refusal()) is not None:
            with self.trace_array.error_log.noting():
                raise refusal

    def checkpoint(self) -> Checkpoint:
        """Remembers the whole machine as it is now, to be put back by `restore`.

        >>> m.tracefs.write("current_tracer", "function")
        >>> before = m.checkpoint()
        >>> first = m.run("rm -r /etc; ls /etc").status, m.tracefs.read("trace")
        >>> m.restore(before)
        >>> first == (m.run("rm -r /etc; ls /etc").status, m.tracefs.read("trace"))
        True

        A checkpoint can be taken between any two calls, also while commands run in the background, while a change of call
        sites is under way, or after an error. It changes nothing. It holds the pages of memory that differ from those
        of an earlier one, which it shares with others: some megabytes. It lasts as long as somebody refers to it.

        Raises:
            ValueError: the machine is closed.
            RuntimeError: the machine is not between two calls: this is a callback.
            Unsaveable: something that the caller has put into the machine cannot be put back. It is a TypeError.
            OSError: the host has too little memory.
        """
        self._check_stands()
        with Held():
            return self._checkpoints.save()

    def restore(self, checkpoint: Checkpoint) -> None:
        """Puts the machine back to a checkpoint, any number of times and in any order, also after GuestPanic or PoweredOff.

        It then goes on as it did then, byte for byte. What is outside the machine stays as it is: what `console` and `warn`
        got, and the files of shared folders and of a RAM disk that is a file.

        Raises:
            ValueError: the machine is closed, or the checkpoint is of another machine.
            RuntimeError: the machine is not between two calls: this is a callback.
            OSError: the host has too little memory.
        """
        self._check_stands()
        with Held():
            self._checkpoints.restore(checkpoint)

    def _check_stands(self) -> None:
        self._check_open()
        if not self.board.stands:
            raise RuntimeError("the machine is in the midst of a call: a checkpoint is taken or restored between two")

    def _undecoded(self, address: int, code: bytes) -> None:
        model = self.board.timing_model.cpu_model
        self._warn(f"the block at {address:#x} ({code.hex(' ')}) is not known to {model}, and costs what the static model says")

    def _console(self, data: bytes) -> None:
        self._output += data
        self._sink(data)
