# SPDX-License-Identifier: GPL-2.0-only
"""Records a command repeatedly, each time with another seed: `emu run --repeat`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from emu.cli.record import record_to, without_options
from emu.cli.trace_options import ArrayOptions, words_of

__all__ = ["repeat_to"]


def repeat_to(
    folder: Path, times: int, arrays: Sequence[ArrayOptions], command: Sequence[str], machine_arguments: dict[str, object],
    *, follow: bool,
) -> int:  # fmt: skip
    """Records a command with one seed after another, starting with the option's. Each file is as from `emu record`.

    Returns the first nonzero exit status of the command, or 0.

    Args:
        folder: is created, or must be empty. It gets a file SEED.dat for each run.
        times: the number of runs.

    Raises:
        click.ClickException: as `record_to`; or the folder cannot be used.
        GuestDied, TimedOut, Terminated: the command did not end in one of the runs, which is then the last.
    """
    try:
        folder.mkdir(exist_ok=True)
        if any(folder.iterdir()):
            raise click.ClickException(f"{folder} is not empty: --repeat needs a folder of its own")
    except OSError as error:
        raise click.ClickException(f"cannot make the folder {folder}: {error.strerror}") from None
    first = machine_arguments["seed"]
    assert isinstance(first, int)
    words = without_options(words_of(click.get_current_context()), ("-o", "--repeat", "--seed"))
    statuses = [
        record_to(
            folder / f"{seed:0{len(str(first + times - 1))}}.dat", arrays, command, {**machine_arguments, "seed": seed},
            follow=follow, words=["--seed", str(seed), *words], quiet=seed != first,
        )
        for seed in range(first, first + times)
    ]  # fmt: skip
    return next((status for status in statuses if status), 0)
