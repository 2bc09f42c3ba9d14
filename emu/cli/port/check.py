# SPDX-License-Identifier: GPL-2.0-only
"""emu port check: a ladder of checks, from a CPU's state to the test suite."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from emu.port.ladder.rung import Rung

__all__ = ["check"]

_FAILED = 1

EXAMPLES = """\
\b
Examples:
  emu port check ARCH
  emu port check ARCH --from nops
  emu port check ARCH --only traps --only interrupts
  emu port check --list

\b
Exit status: 0: all rungs have passed; 1: one has failed, and those behind it were not tried; 2: something in the
arguments is wrong, or a compiler is missing.
"""


@click.command(context_settings={"max_content_width": 120}, epilog=EXAMPLES)
@click.argument("arch", required=False)
@click.option("--from", "first", metavar="RUNG", help="Begin with this rung.")
@click.option("--only", metavar="RUNG", multiple=True, help="Check only this rung. Repeatable.")
@click.option("--suite", is_flag=True, help="Also run the test suite of this architecture, the last rung.")
@click.option("--list", "listed", is_flag=True, help="List the rungs, and what of ftrace's requirements each checks.")
def check(arch: str | None, first: str | None, only: Sequence[str], suite: bool, listed: bool) -> int:
    """Check the port to ARCH step by step, up to the first rung that fails.

    The first rungs are boards without a kernel, whose programs emu/port/ladder/arch/ARCH.py makes; the others boot the
    guest. A failed rung says what was expected and seen, and which functions to write or to look at.
    """
    from emu.port.ladder.rungs import RUNGS

    if listed:
        for line in _list(RUNGS):
            click.echo(line)
        return 0
    if arch is None:
        raise click.UsageError("which architecture? emu port check ARCH")
    rungs = _chosen(RUNGS, first, only, suite)
    return _climb(rungs, arch)


def _list(rungs: Sequence[Rung]) -> Iterator[str]:
    for rung in rungs:
        needs = f" [{', '.join(rung.requirements)}]" if rung.requirements else ""
        yield f"{rung.name:<17} {rung.title}{needs}"


def _chosen(rungs: Sequence[Rung], first: str | None, only: Sequence[str], suite: bool) -> Sequence[Rung]:
    names = [rung.name for rung in rungs]
    for name in (*only, *([first] if first else [])):
        if name not in names:
            raise click.UsageError(f"there is no rung '{name}': emu port check --list")
    if first and only:
        raise click.UsageError("--from and --only do not go together")
    if only:
        return [rung for rung in rungs if rung.name in only]
    return [rung for rung in rungs[names.index(first) if first else 0 :] if suite or rung.name != "suite" or first == "suite"]


def _climb(rungs: Sequence[Rung], arch: str) -> int:
    from emu.port.ladder.assembler import NoTools, tools
    from emu.port.ladder.climbing import climb
    from emu.port.ladder.report import describe

    try:
        tools(arch)
    except NoTools as error:
        raise click.ClickException(str(error)) from None
    by_name = {rung.name: rung for rung in rungs}
    terminal = sys.stderr.isatty()
    for found in climb(rungs, arch):
        if isinstance(found, str):
            if terminal:
                click.echo(f"\r\033[K{found} ...", err=True, nl=False)
            continue
        if terminal:
            click.echo("\r\033[K", err=True, nl=False)
        rung = by_name[found.rung]
        if found.failure is not None:
            click.echo(describe(rung, found, arch), nl=False)
            return _FAILED
        needs = f" [{', '.join(rung.requirements)}]" if rung.requirements else ""
        click.echo(f"{rung.name}: {rung.title}{needs}{f' ({found.note})' if found.note else ''}")
    return 0
