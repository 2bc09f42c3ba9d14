# SPDX-License-Identifier: GPL-2.0-only
"""emu machines: the booted machines that are kept on disk."""

from __future__ import annotations

import time

import click

from emu.cli.exit_status import BAD_INPUT
from emu.cli.quantities import Size

__all__ = ["machines"]

EXAMPLES = """\
\b
`emu run --linux` and `emu shell --linux` keep each machine that they boot, in ~/.cache/emu/machines, and begin there the
next time. Those that were used longest ago go when all of them take more than 4 GiB.

\b
Exit status: 0; 2: a file cannot be removed.
"""


@click.command(context_settings={"max_content_width": 120}, epilog=EXAMPLES)
@click.option("--prune", is_flag=True, help="Remove them; with --most, only those that were used longest ago.")
@click.option("--most", type=Size(), metavar="SIZE", help="With --prune: how much the others may take: 500M, 2G. Default: 0.")
def machines(prune: bool, most: int | None) -> int:
    """List the booted machines that are kept on disk: size, last use, and what they are."""
    from emu.linux import store

    if most is not None and not prune:
        raise click.UsageError("--most needs --prune")
    found = store.kept()
    described = {one.path: store.described(one.path) for one in found}
    shown = store.prune(most or 0) if prune else found
    for one in shown:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(one.used))
        click.echo(f"{one.size / (1 << 20):7.1f} MiB  {when}  {described.get(one.path, one.path.name)}")
    left = sum(one.size for one in store.kept()) if prune else sum(one.size for one in shown)
    click.echo(f"emu: {'removed ' + str(len(shown)) + ', ' if prune else ''}{left / (1 << 20):.1f} MiB kept", err=True)
    if prune and most is None and store.kept():
        click.echo("emu: not all of them can be removed", err=True)
        return BAD_INPUT
    return 0
