# SPDX-License-Identifier: GPL-2.0-only
"""emu gdb: debugs the guest's kernel and its programs with gdb, forward and backward."""

from __future__ import annotations

import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from emu.cli.command import CommandOutput
from emu.cli.guest_errors import guest_errors
from emu.cli.linux.options import LinuxOptions, linux_options, was_given
from emu.cli.machine_options import RunLimits, machine_options
from emu.cli.progress import Progress
from emu.cli.quantities import Size
from emu.cli.recorded_run import RecordedEvent, Run, TraceTime, recorded_event, recorded_run
from emu.cli.signals import Terminated, raised
from emu.cli.trace_options import TracingCommand, recording_of, trace_options, trace_options_of
from emu.cli.traced_machine import OF_LINUX, traced_machine

if TYPE_CHECKING:
    from emu.cli.traced_machine import AnyMachine

__all__ = ["gdb"]

_OWN = "--port", "--history", "--symbols", "-x"

EXAMPLES = """\
\b
Examples:
  A terminal with gdb, before the first instruction of a command:
    emu gdb -- cat /proc/version
  An unmodified Linux:
    emu gdb --linux -- ls /bin
  Only a port, for a gdb or an IDE elsewhere on this machine:
    emu gdb --port 1234 -- cat /proc/version
  Commands of gdb, without a terminal:
    emu gdb -x commands.gdb -- cat /proc/version
  The machine of a recording, where one of its events was recorded:
    emu record -p function -o trace.dat -- cat /proc/version
    emu report trace.dat | grep vfs_read
    emu gdb --at 0.014349 trace.dat
  What is traced, is traced while gdb debugs; `monitor trace` shows it:
    emu gdb -p function_graph -g vfs_read -- cat /proc/version

\b
In gdb, threads are CPUs. reverse-stepi, reverse-next, reverse-finish and reverse-continue go back, as far as the start.
`monitor help` lists what emu adds. Breakpoints and steps change nothing in the guest, nor its time.
gdb is gdb-multiarch, or gdb, of the host. Exit status: gdb's; with --port, 0; 2: an option is wrong, or there is no gdb.
"""


@click.command(cls=TracingCommand, context_settings={"allow_interspersed_args": False, "max_content_width": 120}, epilog=EXAMPLES)
@click.option("--port", type=click.IntRange(0, 65535), metavar="N", help="Only listen at this port of 127.0.0.1; 0: a free one.")
@click.option(
    "--history", type=Size(), default="512M", show_default=True, metavar="SIZE",
    help="How much memory checkpoints may take, from which gdb goes back.",
)  # fmt: skip
@click.option(
    "--symbols", type=click.Path(path_type=Path), metavar="FILE",
    help="gdb's symbol file: a vmlinux with debug information. Default: the guest's image; of a Linux what `emu linux fetch"
    " --debug` has brought, or else its kallsyms.",
)  # fmt: skip
@click.option(
    "-x", "scripts", type=click.Path(path_type=Path, exists=True, dir_okay=False), metavar="FILE", multiple=True,
    help="Run gdb's commands in FILE, and end. Repeatable.",
)  # fmt: skip
@click.option(
    "--at", metavar="TIME",
    help="Debug the machine of a recording, a trace.dat in place of COMMAND, from its event of this time on: 0.014349.",
)  # fmt: skip
@trace_options
@linux_options
@machine_options
@click.argument("command", nargs=-1, required=True, metavar="COMMAND...", type=click.UNPROCESSED)
def gdb(
    at: str | None,
    port: int | None,
    history: int,
    symbols: Path | None,
    scripts: Sequence[Path],
    follow: bool,
    command: Sequence[str],
    **machine_arguments: object,
) -> int:
    """Debug the guest with gdb while it runs COMMAND, forward and backward."""
    context = click.get_current_context()
    if port is not None and scripts:
        raise click.UsageError("-x needs gdb, which --port does not start")
    if symbols is not None and not symbols.is_file():
        raise click.UsageError(f"--symbols {symbols}: there is no such file")
    event = None if at is None else _event(at, command, context)
    if event is None:
        on_linux = LinuxOptions.taken_from(machine_arguments, context, (*OF_LINUX, *_OWN))
        run = Run(machine_arguments, on_linux, trace_options_of(context), command, follow)
    else:
        run = recorded_run(event.origin)
        click.echo(f"emu: {event.text}", err=True)
    debugger = None if port is not None else _debugger()
    limits = RunLimits.taken_from(run.arguments) if run.on_linux is None else run.on_linux.limits
    settings = [(array, array.settings()) for array in run.arrays]
    traced = recording_of(run.arrays) if event or any(words for _, words in settings) else []
    progress = Progress()
    console = CommandOutput(progress, sys.stdout)

    def set_up(machine: AnyMachine) -> None:
        if traced:
            with progress.during("setting up tracing"), guest_errors():
                for array, words in settings:
                    array.set_up(machine, words)

    with raised(), ExitStack() as opened:
        machine = traced_machine(run.arguments, run.on_linux, console, limits, progress, set_up, traced)
        opened.callback(machine.close)
        if event and (other := event.origin.changes(machine.origin(event.origin.words))):
            raise click.ClickException(f"{command[0]}: it was recorded on another machine: other {', '.join(other)}")
        console.shown = True
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="emu-gdb-")))
        file, debug = _symbols(machine, folder, symbols)
        started: list[subprocess.Popen[bytes]] = []

        going = opened.enter_context(ExitStack())
        going.enter_context(progress.during("going to the event" if event else "starting gdb"))

        def ready(chosen: int) -> Callable[[], bool]:
            going.close()
            if debugger is None:
                from emu.gdb import GDB_SCRIPT

                words = f"source {GDB_SCRIPT}; target remote :{chosen}"
                click.echo(f"emu: waiting for gdb: {words}; symbols: {debug or file}", err=True)
                return lambda: True
            started.append(opened.enter_context(_started([debugger, *_words(chosen, file, debug, scripts)])))
            return lambda: started[0].poll() is None

        what = run.command[0] if len(run.command) == 1 else run.command
        where = None if event is None else event.place
        more = {"has_debug": True} if debug else {}
        with guest_errors(), _errors(port):
            machine.serve_gdb(
                port or 0, what, trace=traced, follow=run.follow, at=where, history=history, ready=ready, **more
            )
        return started[0].wait() if started else 0


def _event(at: str, command: Sequence[str], context: click.Context) -> RecordedEvent:
    """The event of --at.

    Raises:
        click.UsageError, click.ClickException: the options are wrong; or see recorded_event.
    """
    given = [one.opts[0] for one in context.command.params if isinstance(one, click.Option) and was_given(context, one)]
    if wrong := [word for word in given if word not in ("--at", *_OWN)]:
        raise click.UsageError(f"{wrong[0]} does not go together with --at: the machine is that of the recording")
    if len(command) != 1:
        raise click.UsageError("--at needs a trace.dat of emu record, and no command")
    try:
        return recorded_event(Path(command[0]), TraceTime.parse(at))
    except ValueError as error:
        raise click.UsageError(f"--at: {error}") from None


@contextmanager
def _errors(port: int | None) -> Iterator[None]:
    """A context for serving gdb. Ctrl-C is gdb's."""
    from emu.guest_machine import BadCommand
    from emu.history.reaching import NotReached

    try:
        yield
    except (BadCommand, NotReached) as error:
        raise click.ClickException(str(error)) from None
    except KeyboardInterrupt:
        raise Terminated(signal.SIGINT) from None
    except OSError as error:
        raise click.ClickException(f"port {port}: {error.strerror}") from None


def _debugger() -> str:
    found = shutil.which("gdb-multiarch") or shutil.which("gdb")
    if found is None:
        raise click.ClickException("there is no gdb-multiarch and no gdb; --port N only listens")
    return found


def _words(port: int, file: Path, debug: Path | None, scripts: Sequence[Path]) -> list[str]:
    """The arguments of gdb. `debug`: a Linux's debug information. It is large: what gdb finds in it is kept."""
    from emu.gdb import GDB_SCRIPT
    from emu.installation import firmware_directory
    from emu.native.cache import cache_directory

    words = ["-q", "-iex", f"source {GDB_SCRIPT}"]
    sources = firmware_directory()
    if debug is None and (sources / "kernel").is_dir():
        words += ["-d", str(sources)]
    if debug is not None:
        if (cache := cache_directory()) is not None:
            kept = cache / "linux" / "gdb-index"
            words += ["-iex", f"set index-cache directory {kept}", "-iex", "set index-cache enabled on"]
        words += ["-ex", f"add-symbol-file {shlex.quote(str(debug))} -o 0"]
    words += ["-ex", f"target remote 127.0.0.1:{port}"]
    words += [word for script in scripts for word in ("-x", str(script))]
    return [*words, *(["-batch"] if scripts else []), str(file)]


def _started(words: Sequence[str]) -> subprocess.Popen[bytes]:
    """gdb, which has the terminal from now on: Ctrl-C interrupts the guest, not emu."""
    process = subprocess.Popen(words)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return process


def _same_code(built: Path, image: Path) -> bool:
    """Whether a kernel that was built here, which has debug information, is the one in an image."""
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile

    code = []
    for path in (built, image):
        try:
            with path.open("rb") as file:
                section = ELFFile(file).get_section_by_name(".text")
                code.append(None if section is None else section.data())
        except (OSError, ELFError):
            return False
    return code[0] is not None and code[0] == code[1]


def _symbols(machine: AnyMachine, folder: Path, given: Path | None) -> tuple[Path, Path | None]:
    """The file that gdb reads first, and a file with debug information of a Linux. `given`: the one that the user wants."""
    from emu.installation import firmware_directory, image_directory
    from emu.linux.machine import LinuxMachine

    if not isinstance(machine, LinuxMachine):
        image = Path(machine.config.image or image_directory(machine.board.arch.name) / "vmlinux")
        built = firmware_directory() / "build" / machine.board.arch.name / image.name
        return given or (built if _same_code(built, image) else image), None
    debug = given or machine.debug_file
    path = folder / ("unwinding" if debug else "vmlinux")
    try:
        machine.write_symbols(path, besides_debug=debug is not None)
    except (ValueError, OSError) as error:
        raise click.ClickException(str(error)) from None
    return path, debug
