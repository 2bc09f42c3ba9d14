# SPDX-License-Identifier: GPL-2.0-only
"""emu linux fetch: brings a kernel from the distribution's packages, without installing it."""

from __future__ import annotations

import click

from emu.cli.progress import Progress
from emu.cli.signals import raised

__all__ = ["fetch"]

EXAMPLES = """\
\b
Examples:
  The newest kernel for virtual machines of the host's release, and of another one:
    emu linux fetch
    emu linux fetch --release trixie
  One with all drivers, on Ubuntu:
    emu linux fetch linux-image-generic
  With debug information for emu gdb, which takes gigabytes:
    emu linux fetch --debug

\b
The host's own sources, keys and proxies are used. The package is not installed, nothing of the host changes, and no root
is needed: the kernel, its configuration and its modules go to ~/.cache/emu/linux/kernels/VERSION.

\b
Exit status: 0, also if the kernel was there already; 2: it cannot be fetched.
"""


@click.command(context_settings={"max_content_width": 120}, epilog=EXAMPLES)
@click.option("--release", metavar="NAME", help="Another release of the distribution than the host's, from the same mirrors.")
@click.option("--debug", is_flag=True, help="Also fetch the debug information of the kernel and its modules, for emu gdb.")
@click.argument("package", required=False, metavar="[PACKAGE]")
def fetch(release: str | None, debug: bool, package: str | None) -> int:
    """Fetch the kernel in PACKAGE, or on which PACKAGE depends, from the distribution, and print its file's name."""
    from emu.linux.fetch import NotFetched
    from emu.linux.fetch import fetch as fetch_kernel

    try:
        with raised(), Progress().during("fetching the kernel"):
            fetched = fetch_kernel(package, release, debug)
    except NotFetched as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        raise click.ClickException(f"{error.filename}: {error.strerror}") from None
    if not fetched.is_new:
        click.echo("emu: it was there already", err=True)
    click.echo(fetched.path)
    if fetched.debug is not None:
        click.echo(fetched.debug)
    return 0
