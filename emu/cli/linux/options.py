# SPDX-License-Identifier: GPL-2.0-only
"""The options of commands that can run an unmodified Linux, and which of their other options mean something there."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import click
from click.core import ParameterSource

from emu.cli.arch_option import Command
from emu.cli.machine_options import Arguments, RunLimits

__all__ = ["LinuxCommand", "LinuxOptions", "linux_option", "linux_options", "was_given", "with_equals"]

_FLAG = "--linux"
_OWN = ("rootfs", "initrd", "fresh", "all_functions", "from_reset")  # arguments that only a Linux has
_SHARED = ("cpus", "memory", "seed", "quantum", "frequency", "timing", "command_line")  # ... that any machine has
_OF_COMMANDS = ("linux", "limit", "host_limit", "command", "directory")

linux_option = click.option(
    _FLAG, metavar="[=VMLINUZ]",
    help="Run an unmodified Linux: a bzImage or a vmlinux. Default: the newest of /boot, or one that `emu linux fetch` has"
    " brought.",
)  # fmt: skip

_OPTIONS = (
    linux_option,
    click.option(
        "--rootfs", metavar="DIR|TAR|CPIO", type=click.Path(path_type=Path),
        help="With --linux: the root directory. Default: a static busybox of the host.",
    ),
    click.option(
        "--initrd", metavar="FILE", type=click.Path(path_type=Path),
        help="With --linux: an initramfs that the kernel unpacks as it is.",
    ),
    click.option("--fresh", is_flag=True, help="With --linux: boot, even if such a machine is kept on disk, and keep none."),
    click.option(
        "--all-functions", is_flag=True,
        help="With --linux: functions can be traced that ftrace itself must leave out, such as its own.",
    ),
    click.option(
        "--from-reset", is_flag=True,
        help="With --linux: trace from the kernel's first instruction on, its initialisation code too. It boots afresh.",
    ),
)  # fmt: skip


def linux_options(command: Command) -> Command:
    """Gives a command the options. Their values are taken by `LinuxOptions.taken_from`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def with_equals(arguments: list[str], parameters: list[click.Parameter]) -> list[str]:
    """A command's words, with `--linux=` for `--linux`: its value is never the next word, which is the guest's command."""
    takes_value = {
        name: not (parameter.is_flag or parameter.count)
        for parameter in parameters if isinstance(parameter, click.Option) for name in parameter.opts
    }  # fmt: skip
    words = list(arguments)
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] not in ("-", "--"):
        if words[at] == _FLAG:
            words[at] = f"{_FLAG}="
        elif takes_value.get(words[at]):
            at += 1
        at += 1
    return words


class LinuxOptions(NamedTuple):
    """What a command line says of a Linux guest.

    Attributes:
        parameters: those of LinuxParameters that were given.
        limits: how long the command may run.
        from_reset: whether tracing begins with the kernel's first instruction.
    """

    parameters: Mapping[str, Any]
    limits: RunLimits
    from_reset: bool = False

    def with_seed(self, more: int) -> LinuxOptions:
        """The same with another seed, so much greater."""
        return self._replace(parameters={**self.parameters, "seed": self.parameters.get("seed", 0) + more})

    @classmethod
    def taken_from(
        cls, arguments: Arguments, context: click.Context, also: Collection[str] = ()
    ) -> LinuxOptions | None:
        """Removes the options of Linux guests from a command's arguments; None: it is not about one.

        `also`: further options of the command that mean something for a Linux, by their words.

        Raises:
            click.UsageError: an option was given that has no effect.
        """
        given = {parameter.name: parameter.opts[0] for parameter in context.command.params if was_given(context, parameter)}
        kernel = arguments.pop("linux")
        own = {name: arguments.pop(name) for name in _OWN}
        if kernel is None:
            for name in _OWN:
                if name in given:
                    raise click.UsageError(f"{given[name]} needs {_FLAG}")
            return None
        for name, option in given.items():
            if name not in (*_OWN, *_SHARED, *_OF_COMMANDS) and option not in also:
                raise click.UsageError(f"{option} does not go together with {_FLAG}")
        limits = RunLimits.taken_from(arguments)
        shared = {name: arguments[name] for name in _SHARED if name in given}
        from_reset = own.pop("from_reset")
        return cls({"kernel": kernel or None, **own, **shared}, limits, from_reset)


class LinuxCommand(click.Command):
    """A command whose option --linux may have a value."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, with_equals(args, self.params))


def was_given(context: click.Context, parameter: click.Parameter) -> bool:
    """Whether a command line has an option."""
    return parameter.name is not None and context.get_parameter_source(parameter.name) not in (None, ParameterSource.DEFAULT)
