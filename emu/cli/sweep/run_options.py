# SPDX-License-Identifier: GPL-2.0-only
"""The options of `emu run` that a run of a sweep can have, read from words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

import click

from emu.architectures import DEFAULT_ARCHITECTURE
from emu.cli.linux.options import LinuxOptions, linux_options
from emu.cli.machine_options import Arguments, RunLimits, config_of, machine_options, with_counting_model
from emu.cli.trace_options import LETTERS, ArrayOptions, TracingCommand, trace_options, trace_options_of
from emu.cli.traced_machine import OF_LINUX
from emu.kernel.files.share import Share
from emu.machine_config import MachineConfig

__all__ = ["NAMING_FILES", "OF_TRACING", "OPTIONS", "REFUSED", "RunOptions", "run_options"]

REFUSED = {
    "--host-limit": "what a run finds would depend on the host",
    "--host-tree": "the host's programs are not among what is known of a unit",
    "--from-reset": "a run begins with a booted machine",
}
"""Options of `emu run` that a run of a sweep cannot have, and why."""


@click.command(cls=TracingCommand, context_settings={"allow_interspersed_args": False})
@trace_options
@linux_options
@machine_options
@click.argument("command", nargs=-1, required=True, metavar="COMMAND...", type=click.UNPROCESSED)
def _run(**arguments: object) -> NoReturn:
    """Holds the options. It is never called."""
    raise AssertionError(arguments)


def _options() -> Iterator[tuple[str, click.Option]]:
    for parameter in _run.params:
        if isinstance(parameter, click.Option) and parameter.opts[0] not in REFUSED:
            yield from ((name.lstrip("-"), parameter) for name in parameter.opts)


OPTIONS = dict(_options())
"""The options, by their names without dashes."""

OF_TRACING = tuple(name.lstrip("-") for name in (*LETTERS, "F"))
"""Those that say what is traced, on whichever machine."""

NAMING_FILES = ("arch", "image", "initrd", "linux", "patching", "ramdisk", "rootfs", "share", "userland")
"""Those on which it depends which files of the host a run reads."""


class RunOptions(NamedTuple):
    """One run.

    Attributes:
        config: the machine with emu's own kernel; None: it is a Linux.
        on_linux: the machine with a Linux; None: it is emu's own kernel.
        tracing: what is traced.
        follow: whether only the command and its children are traced.
        limits: how long the command may run.
        paths: the files and folders of the host that the run reads.
    """

    config: MachineConfig | None
    on_linux: LinuxOptions | None
    tracing: ArrayOptions
    follow: bool
    limits: RunLimits
    paths: list[Path]


def run_options(words: Sequence[str], command: Sequence[str]) -> RunOptions:
    """What words of a command line say.

    Raises:
        click.UsageError: something in them is wrong.
    """
    context = _run.make_context("emu sweep", [*words, "--", *command])
    arguments = context.params
    del arguments["command"]
    follow = arguments.pop("follow")
    (tracing,) = trace_options_of(context)
    tracing.settings()  # finds what contradicts
    paths = list(_paths(arguments))
    on_linux = LinuxOptions.taken_from(arguments, context, OF_LINUX)
    if on_linux is not None:
        return RunOptions(None, on_linux, tracing, follow, on_linux.limits, [*paths, *_of_linux(on_linux)])
    limits = RunLimits.taken_from(arguments)
    return RunOptions(with_counting_model(config_of(arguments)), None, tracing, follow, limits, paths)


def _paths(arguments: Arguments) -> Iterator[Path]:
    """The files that options name. None may be written, since the next run would find it changed."""
    for name in ("image", "rootfs", "initrd"):
        if arguments[name] is not None:
            yield arguments[name]
    if (ramdisk := arguments["ramdisk"]) is not None:
        if ramdisk.endswith(":rw"):
            raise click.UsageError("--ramdisk FILE:rw: the runs of a sweep change no file of the host")
        yield Path(ramdisk)
    for text in arguments["shares"]:
        try:
            share = Share.parse(text)
        except ValueError as error:
            raise click.UsageError(f"--share: {error}") from None
        if share.writable:
            raise click.UsageError("--share DIR:rw: the runs of a sweep change no file of the host")
        yield share.directory
    file, colon, _ = (arguments["patching"] or "").rpartition(":")
    if colon:
        yield Path(file)
    yield from _busybox(arguments)


def _busybox(arguments: Arguments) -> Iterator[Path]:
    """The busybox of --userland, or of a Linux without another root."""
    from emu.kernel import arch
    from emu.kernel.userland import BadUserland, find_busybox

    linux = arguments["linux"] is not None
    kind, _, named = (arguments["userland"] or "").partition("=")
    if arguments["rootfs"] is not None if linux else not kind:
        return
    of = DEFAULT_ARCHITECTURE if linux else arguments["arch"]
    try:
        yield find_busybox(of, arch.load(of).elf_machine, Path(named) if named else None)
    except ValueError as error:
        if not isinstance(error, BadUserland) or arguments["initrd"] is None:
            raise click.UsageError(str(error)) from None


def _of_linux(options: LinuxOptions) -> Iterator[Path]:
    from emu.linux.find import NoKernel, find_kernel

    try:
        yield find_kernel(options.parameters["kernel"])
    except NoKernel as error:
        raise click.UsageError(str(error)) from None
