# SPDX-License-Identifier: GPL-2.0-only
"""The campaign's table that an argument names: a Parquet file, or the folder of a campaign."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from emu.campaign.table import Table

__all__ = ["needed", "opened_table", "table_file"]

_NAME, _END, _MAGIC = "table.parquet", ".parquet", b"PAR1"


def table_file(place: Path) -> Path | None:
    """The Parquet file; None: the argument names something else."""
    if place.is_dir():
        file = place / _NAME
        return file if file.is_file() else None
    try:
        if place.suffix == _END:
            return place
        if not place.is_file():
            return None
        with place.open("rb") as opened:
            return place if opened.read(len(_MAGIC)) == _MAGIC else None
    except OSError:
        return None


def opened_table(place: Path, command: str) -> Table:
    """The table.

    Args:
        place: a Parquet file, or a campaign's folder.
        command: for the error if a library is missing.

    Raises:
        click.ClickException: there is none, or it cannot be read or is damaged.
    """
    from emu.campaign.table import BadTable, read_table

    if place.is_dir() and table_file(place) is None:
        raise click.ClickException(f"{place}: no {_NAME} is in this folder")
    file = table_file(place) or place
    with needed(command):
        try:
            return read_table(file)
        except OSError as error:
            raise click.ClickException(f"cannot read {file}: {error.strerror}") from None
        except BadTable as error:
            raise click.ClickException(str(error)) from None


@contextmanager
def needed(command: str) -> Iterator[None]:
    """Turns a library that is missing into one line.

    Raises:
        click.ClickException: it is missing.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        name = (error.name or "a library").partition(".")[0]
        raise click.ClickException(f"{command} needs {name}: pip install 'emu[campaign]'") from None
