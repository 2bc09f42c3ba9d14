# SPDX-License-Identifier: GPL-2.0-only
"""emu race herd7: a litmus test as herd7 reads it."""

from __future__ import annotations

from pathlib import Path

import click

from emu.cli.race.errors import lab_errors
from emu.cli.race.say import say

__all__ = ["herd7"]

EXAMPLES = """\
\b
Examples:
  What does herd7 say of a litmus test? (Of its models of RISC-V, riscv-tso.cat is the one of emu.)
    emu race herd7 emu/race/corpus/store-buffering.litmus > sb.litmus
    herd7 sb.litmus
  The other way round: emu reads herd7's own files.
    emu race check --fetch coherent sb.litmus

\b
Exit status: 0; 2: FILE is no litmus test, or one that herd7 cannot have: with stores to code, interrupts or directives.
"""


@click.command(context_settings={"max_content_width": 120}, epilog=EXAMPLES)
@click.argument("file", type=click.Path(path_type=Path))
def herd7(file: Path) -> int:
    """Print a litmus test for herd7.

    herd7 is the simulator of memory models (diy.inria.fr). It shows the final states of the same test.
    """
    with lab_errors():
        from emu.race import litmus

        text = litmus.format_herd7(litmus.read(file))
    say(text)
    return 0
