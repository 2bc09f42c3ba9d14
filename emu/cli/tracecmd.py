# SPDX-License-Identifier: GPL-2.0-only
"""emu tracecmd: runs the host's own trace-cmd on the tracefs of a machine."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click
from click.core import ParameterSource

from emu.cli.command import CommandOutput
from emu.cli.guest_errors import guest_errors
from emu.cli.machine_options import RunLimits, boot, config_of, machine_options
from emu.cli.mount import executing, mount_errors
from emu.cli.progress import Progress
from emu.cli.signals import Terminated, raised

__all__ = ["tracecmd"]

EXAMPLES = """\
\b
Examples:
  What the guest's ls does, recorded by trace-cmd; `guest` runs the rest in the guest:
    emu tracecmd -- record -p function_graph guest ls /bin
    trace-cmd report trace.dat
  What there is:
    emu tracecmd -- list -e '^sched:'
  Several calls, of one machine:
    mkdir t; emu mount t                                    (in another terminal)
    emu tracecmd --on t -- start -e sched:sched_switch guest 'ls | cat'
    emu tracecmd --on t -- show

\b
trace-cmd is a process of the host, in a mount namespace of its own, where it finds the machine at /sys/kernel/tracing:
this needs root. A command that it starts is a program of the host; `guest` is one that has its arguments executed in
the guest, and ends with their status: one word is a line for the guest's shell. Time passes while the guest runs.
Exit status: trace-cmd's own; 2: something is wrong or missing, and trace-cmd was not run.
"""

_RECORDS = ("profile", "record", "stream")  # trace-cmd commands that read pages while they are recorded
_TAKES_PAGES = ("extract", *_RECORDS)
_PATIENCE = 5.0  # seconds that trace-cmd gets to end when asked to


@click.command(context_settings={"allow_interspersed_args": False, "max_content_width": 120}, epilog=EXAMPLES)
@click.option(
    "--on", "tree", metavar="DIR", type=click.Path(path_type=Path),
    help="Use the machine that `emu mount` has mounted at DIR. Default: one is booted.",
)  # fmt: skip
@click.option("--guest", metavar="COMMAND", help="Run COMMAND, a line for the guest's shell, in the guest meanwhile.")
@machine_options
@click.argument("arguments", nargs=-1, required=True, metavar="-- ARGUMENTS...", type=click.UNPROCESSED)
def tracecmd(tree: Path | None, guest: str | None, arguments: Sequence[str], **machine_arguments: object) -> int:
    """Run the host's trace-cmd with ARGUMENTS on a machine."""
    if tree is not None:
        return _run_on(tree, guest, arguments)
    from emu.mount.host import check
    from emu.mount.namespace import inside

    progress = Progress()
    console = CommandOutput(progress, sys.stderr)
    limits = RunLimits.taken_from(machine_arguments)
    with raised(), tempfile.TemporaryDirectory(prefix="emu-") as folder, mount_errors():
        directory = Path(folder)
        check(directory)
        command = inside(directory, _trace_cmd(arguments))
        with boot(config_of(machine_arguments), console, limits, progress) as machine:
            from emu.mount.mounted import Mounted

            _check_byte_order(machine.kernel.image.byte_order == "<", arguments)
            console.shown = True
            with Mounted(machine, directory) as mounted, _running(command) as process, guest_errors():
                if guest is not None:
                    mounted.commands.add([guest])
                mounted.serve_until(lambda: process.poll() is not None, executing(machine, limits))
    return _status(process)


def _run_on(tree: Path, guest: str | None, arguments: Sequence[str]) -> int:
    context = click.get_current_context()
    for parameter in context.command.params:
        given = parameter.name and context.get_parameter_source(parameter.name) == ParameterSource.COMMANDLINE
        if given and parameter.name not in ("tree", "guest", "arguments"):
            raise click.UsageError(f"{parameter.opts[0]}: the machine at {tree} is booted already")
    from emu.mount.host import own_tree
    from emu.mount.namespace import inside

    with mount_errors():
        own = own_tree(tree)
        command = inside(tree, _trace_cmd(arguments))
    _check_byte_order((own / "byte_order").read_text() == "little\n", arguments)
    with raised(), _running(command) as process:
        if guest is not None:
            with _running([str(own / "bin" / "guest"), guest]):
                process.wait()
        process.wait()
    return _status(process)


def _trace_cmd(arguments: Sequence[str]) -> list[str]:
    """The words of a call. trace-cmd prefers splice, which since Linux 6.5 returns nothing for FUSE files without a size."""
    first, *rest = arguments
    return ["trace-cmd", first, *(["--nosplice"] if first in _RECORDS else []), *rest]


@contextmanager
def _running(command: Sequence[str]) -> Iterator[subprocess.Popen[bytes]]:
    """A program that runs during the body, on the same terminal. Ctrl-C affects only the program."""
    before = signal.signal(signal.SIGINT, lambda number, frame: None)
    try:
        with subprocess.Popen(command) as process:
            try:
                yield process
            finally:
                if process.poll() is None:
                    process.terminate()
                    try:
                        process.wait(_PATIENCE)
                    except subprocess.TimeoutExpired:
                        process.kill()
    finally:
        signal.signal(signal.SIGINT, before)


def _status(process: subprocess.Popen[bytes]) -> int:
    """A program's exit status in the form of a shell."""
    if process.returncode < 0:
        raise Terminated(-process.returncode)
    return process.returncode


def _check_byte_order(little: bool, arguments: Sequence[str]) -> None:
    """Refuses commands that trace-cmd would do wrong: it interprets a machine's pages in its own host's byte order."""
    if arguments[0] in _TAKES_PAGES and little != (sys.byteorder == "little"):
        raise click.ClickException(
            f"trace-cmd {arguments[0]} takes the pages of a machine of the other byte order for its host's own;"
            " `emu record` writes them as they are"
        )
