# SPDX-License-Identifier: GPL-2.0-only
"""emu plot: a plot of what a campaign has measured."""

from __future__ import annotations

from pathlib import Path

import click

from emu.cli.campaign.tables import needed, opened_table, table_file
from emu.cli.output import open_output

__all__ = ["plot"]

EXAMPLES = """\
\b
Examples:
  emu plot study cpus,cycles                   a line for each combination of the other parameters: study/table.svg
  emu plot study/table.parquet cpus,cycles --by tracer -o cycles.png
  emu plot study tracer,cycles --by ''         bars, since tracers are names; all other parameters together
  emu plot study cpus,outcome                  the share of each outcome

\b
TABLE is a campaign's folder, or its table.parquet. X and Y are columns: parameters, or what was measured. The plot shows
means over all runs with the same X and --by, with 95 % confidence intervals. The same table gives the same file.
Exit status: 0; 2: TABLE cannot be read, or does not have the columns.
"""


@click.command(context_settings={"max_content_width": 120}, epilog=EXAMPLES)
@click.option(
    "--by", metavar="A,B", help="A line for each combination of these columns. Default: the parameters that vary, but seed."
)
@click.option(
    "-o", "output", type=click.Path(path_type=Path), metavar="FILE",
    help="Write to FILE, which ends in .svg or .png. Default: .svg beside TABLE.",
)  # fmt: skip
@click.argument("table", type=click.Path(path_type=Path))
@click.argument("columns", metavar="X,Y")
def plot(by: str | None, output: Path | None, table: Path, columns: str) -> int:
    """Plot a column of a campaign's table against another one, as SVG or PNG."""
    x, comma, y = columns.partition(",")
    if not (x and comma and y):
        raise click.ClickException(f"'{columns}' is not X,Y: two columns of the table, such as cpus,cycles")
    path = output or (table_file(table) or table).with_suffix(".svg")
    lines = None if by is None else [name for name in by.split(",") if name]
    found = opened_table(table, "emu plot")
    with needed("emu plot"):
        from emu.campaign.plot import drawn

        try:
            data = drawn(found, x, y, path.suffix.removeprefix("."), lines)
        except ValueError as error:
            raise click.ClickException(f"{table}: {error}") from None
    with open_output(path) as out:
        out.write(lambda: [data])
    return 0
