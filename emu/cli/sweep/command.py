# SPDX-License-Identifier: GPL-2.0-only
"""emu sweep: the command."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from emu.cli.campaign.options import CampaignOptions, campaign_options

if TYPE_CHECKING:
    from emu.campaign import Results

__all__ = ["sweep"]

_WORDS = "emu.cli.sweep.words"  # key of click.Context.meta
_SUFFIX = ".toml"

EXAMPLES = """\
\b
Examples:
  What does tracing cost, on how many CPUs? Twenty seeds each:
    emu sweep seed=0..19 cpus=1,2,4,8 p=nop,function,function_graph -- 'ls /bin | wc -l'
  How does the longest time with interrupts off depend on the timing model? With a picture:
    emu sweep p=irqsoff seed=0..99 timing=static,pipeline,caches -m latency --plot timing,latency -- 'ls | cat'
  How long do reads take, and which time does the program print?
    emu sweep p=function_graph 'l=vfs_*' n=1..4 -m top:vfs_read -m 'output:time=Time: (.*)' -- 'hackbench -g {n} -l 20'
  A kernel of Debian's and emu's own; a sweep that a file describes:
    emu sweep linux=no,yes seed=0..9 -m instructions -- 'ls /bin | wc -l'
    emu sweep study.toml seed=0..999 --scheduler tcp://head:8786

\b
PARAMETER=VALUE,... : a parameter is an option of `emu run` without its dashes, and each run has one of its values; 0..9 is
ten values. `set:FILE=...` writes a file of tracefs, `append:WORD=...` is a parameter of the guest's kernel. An empty value
leaves the option out; of -F, --linux and the like, values are yes and no. {NAME} in COMMAND stands for the values of
another parameter. An option that may be repeated, as -e, can be given several times. FILE.toml has
command = "...", measure = ["..."] and under [parameters] the values as lists or as texts such as "0..9".

\b
-m measures: counts (the default: what `emu stat` shows, and with a latency tracer the latency), an event of `emu stat`,
latency, events, top:FUNCTION, hist:SYSTEM:EVENT, file:PATH of tracefs, output, output:NAME=REGEX (docs/campaigns.md).
The timing model is that of `emu stat`: caches, if it is not a parameter.

\b
FOLDER gets table.parquet and table.csv, a row for each run. The same command in the same folder goes on where it was
stopped; runs that are there are not done again, also if the sweep has become larger.
Exit status: 0: all runs are done; 1: some have failed; 2: something in the options is wrong, and nothing was run; 124:
--limit was reached; 130: interrupted by Ctrl-C. A guest that panics or a command that fails is a result, no failure.
"""


class _SweepCommand(click.Command):
    """A command whose words after `--` are the guest's."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        at = args.index("--") if "--" in args else len(args)
        ctx.meta[_WORDS] = tuple(args[at + 1 :])
        return super().parse_args(ctx, args[:at])


@click.command(cls=_SweepCommand, context_settings={"max_content_width": 120}, epilog=EXAMPLES)
@click.option("-m", "--measure", "measured", metavar="MEASURE", multiple=True, help="What is measured. Repeatable.")
@campaign_options("sweep")
@click.argument("given", nargs=-1, metavar="[FILE.toml] [PARAMETER=VALUE,...]... [-- COMMAND...]")
def sweep(measured: Sequence[str], given: Sequence[str], **arguments: object) -> int:
    """Run COMMAND with each combination of parameters, in several processes, and write a table of what is measured."""
    from emu.cli.campaign.running import run_campaign
    from emu.cli.sweep.plan import plan_of
    from emu.cli.sweep.plan_file import PlanFile

    command = click.get_current_context().meta[_WORDS]
    options = CampaignOptions.taken_from(arguments)
    files = [Path(text) for text in given if text.endswith(_SUFFIX) and "=" not in text]
    if len(files) > 1:
        raise click.UsageError(f"{files[1]}: one file describes a sweep")
    file = PlanFile.read(files[0]) if files else PlanFile()
    plan = plan_of(file, [text for text in given if text not in map(str, files)], command, measured)

    def show(results: Results) -> None:
        from emu.campaign.summary import summary
        from emu.cli.campaign.summary_table import summary_table

        if results.table.columns.num_rows:
            summary_table(summary(results.table, plan.shown(results.table)))

    return run_campaign(plan.units(), options, show, plan.columns)
