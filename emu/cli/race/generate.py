# SPDX-License-Identifier: GPL-2.0-only
"""emu race generate: random scenarios."""

from __future__ import annotations

from pathlib import Path

import click

from emu.cli.arch_option import arch_option
from emu.cli.output import new_file
from emu.cli.race import options
from emu.cli.race.errors import lab_errors
from emu.cli.race.report import counted
from emu.cli.race.say import say

__all__ = ["generate"]

EXAMPLES = """\
\b
Examples:
  What does a random scenario look like, and is it safe?
    emu race generate --seed 7 > random.race
    emu race check random.race
  A hundred, each in a file, 7-0001.race to 7-0100.race:
    emu race generate -n 100 --seed 7 -o random
    emu race check random/*.race

\b
A protocol is a random list of steps, or one of emu's own with at most two random changes. Scenario number 12 of seed 7
is always the same, however many are made; only --arch, --cpus and --sites change it.

\b
Exit status: 0; 2: something in the options is wrong, or a file exists or cannot be written.
"""


@click.command(context_settings={"max_content_width": 120}, epilog=EXAMPLES)
@click.option("-n", "count", type=click.IntRange(1), default=1, show_default=True, metavar="N", help="How many scenarios.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="S", help="Seed of all of them.")
@arch_option("Architecture.")
@options.cpus(2)
@click.option("--sites", type=int, default=2, show_default=True, metavar="N", help="The largest number of sites.")
@click.option(
    "-o", "folder", type=click.Path(path_type=Path), metavar="FOLDER",
    help="Write each to a file of FOLDER, which is made; files that exist are left alone.",
)  # fmt: skip
def generate(count: int, seed: int, arch: str, cpus: int, sites: int, folder: Path | None) -> int:
    """Print random scenarios.

    Each has a protocol that may make sense, or not: its steps, its sites, and what the CPUs do are random.
    """
    with lab_errors():
        from emu.race.generator import name_of, numbered
        from emu.race.scenario.scenario_format import format

        numbered(seed, 1, arch=arch, cpus=cpus, most_sites=sites)
    texts = (format(numbered(seed, n, arch=arch, cpus=cpus, most_sites=sites)) for n in range(1, count + 1))
    if folder is None:
        for number, text in enumerate(texts):
            say(("\n" if number else "") + text)
        return 0
    paths = [folder / f"{name_of(seed, number)}.race" for number in range(1, count + 1)]
    _make_room(folder, paths)
    for path, text in zip(paths, texts, strict=True):
        with new_file(path) as file:
            file.write(text.encode())
    say(f"written: {counted(count, 'scenario')} in {folder}\n")
    return 0


def _make_room(folder: Path, paths: list[Path]) -> None:
    """Makes the folder.

    Raises:
        click.ClickException: it cannot be made, or one of the files exists.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise click.ClickException(f"cannot make {folder}: {error.strerror}") from None
    there = [path for path in paths if path.exists()]
    if there:
        others = f", and so {'does' if len(there) == 2 else 'do'} {len(there) - 1} more of the files" if len(there) > 1 else ""
        raise click.ClickException(f"{there[0]} exists{others}; nothing was written")
