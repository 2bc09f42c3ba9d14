# SPDX-License-Identifier: GPL-2.0-only
"""emu linux list: lists the kernels that can be booted."""

from __future__ import annotations

import click

__all__ = ["list_kernels"]


@click.command("list", context_settings={"max_content_width": 120})
def list_kernels() -> int:
    """List the kernels in /boot, and those that were fetched: version, origin and file. A * marks the default.

    Exit status: 0; 2: there is none.
    """
    from emu.linux.find import NoKernel, find_kernel, kernels

    try:
        default = find_kernel(None)
    except NoKernel as error:
        raise click.ClickException(str(error)) from None
    found = kernels()
    width = max(len(kernel.version) for kernel in found)
    for path, version, origin in found:
        click.echo(f"{'*' if path == default else ' '} {version:{width}}  {origin:9}  {path}")
    return 0
