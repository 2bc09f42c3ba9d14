# SPDX-License-Identifier: GPL-2.0-only
"""emu port new: the files with which a port begins."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["new"]

EXAMPLES = """\
\b
Examples:
  emu port new aarch64 --unicorn arm64
  emu port new mips64 --unicorn mips64 --page-size 16384 --cross mips64-linux-gnuabi64-

\b
Exit status: 2: there is such a port, or Unicorn has no such processor, or this is no checkout of emu.
"""

_PAGE_SIZES = range(10, 17)


@click.command(context_settings={"max_content_width": 120}, epilog=EXAMPLES)
@click.option("--unicorn", "name", required=True, metavar="NAME", help="What Unicorn calls it: arm64 is UC_ARCH_ARM64.")
@click.option("--byte-order", type=click.Choice(["little", "big"]), help="Default: the one of ARCH.")
@click.option("--page-size", type=int, default=4096, show_default=True, help="Of the kernel's pages, in bytes.")
@click.option("--cross", metavar="PREFIX", help="Of the compiler. Default: that of Debian's package.")
@click.argument("arch", metavar="ARCH")
def new(arch: str, name: str, byte_order: str | None, page_size: int, cross: str | None) -> int:
    """Begin a port to ARCH: write its files to this checkout of emu.

    Each function that a port provides is there, and refuses: it says what it has to do, where docs/architecture-seam.md tells
    about it, and where the finished ports have it. What follows from Unicorn is filled in, and the kernel links. ARCH is what
    Unicorn's library calls the processor.
    """
    from emu.port.skeleton import machine
    from emu.port.skeleton.writing import write_port

    if page_size not in (1 << shift for shift in _PAGE_SIZES):
        raise click.ClickException(f"a page has 1024 to 65536 bytes, a power of 2, not {page_size}")
    if not arch.isidentifier() or arch != arch.lower():
        raise click.ClickException(f"'{arch}' is no name of a port: lower-case letters, digits and _")
    root = Path(__file__).resolve().parents[3]
    try:
        files = write_port(root, machine.find(arch, name, byte_order, page_size, cross))
    except ValueError as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        raise click.ClickException(f"{error.filename}: {error.strerror}") from None
    for path in files:
        click.echo(path)
    click.echo(f"\n{len(files)} files. The first rung: emu port check {arch}")
    return 0
