# SPDX-License-Identifier: GPL-2.0-only
"""emu build-module: builds a user's module for the guest's kernel."""

from __future__ import annotations

from pathlib import Path

import click

from emu.cli.arch_option import arch_option

__all__ = ["build_module"]

EXAMPLES = """\
\b
Examples:
  A module is built in its folder, loaded, and traced from its first function on:
    emu build-module hello
    emu run --share hello:/hello -p function_graph -l '*:mod:hello' -- 'insmod /hello/hello.ko; rmmod hello'
"""


@click.command("build-module", context_settings={"max_content_width": 120}, epilog=EXAMPLES)
@arch_option("Architecture of the guest.")
@click.option("-o", "to", type=click.Path(path_type=Path), metavar="FOLDER", help="The folder for NAME.ko. Default: DIR.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
def build_module(arch: str, to: Path | None, folder: Path) -> int:
    """Build the module whose sources are in DIR, and print the name of its file.

    The compiler is gcc: the host's, or the cross compiler for another architecture. The guest kernel's headers come with emu,
    and its images stay as they are. A Kbuild or Makefile in DIR can say what there is to build, as in Linux: obj-m := hello.o,
    hello-y := main.o part.o, ccflags-y. Otherwise all .c and .S files are one module, of the folder's name.

    Exit status: 2: something is missing, or cannot be compiled.
    """
    from emu.cpu import arch as cpu_arch
    from emu.kernel.module_build import build_modules

    try:
        cpu_arch.load(arch)
        for module in build_modules(folder, arch, folder if to is None else to):
            click.echo(module)
    except ValueError as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        raise click.ClickException(f"{error.filename}: {error.strerror}") from None
    return 0
