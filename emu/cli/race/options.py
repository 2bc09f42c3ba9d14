# SPDX-License-Identifier: GPL-2.0-only
"""Options shared by the commands of `emu race`, and their value types."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from emu.cli.quantities import Duration

if TYPE_CHECKING:
    from emu.race.limits import Limits

__all__ = ["SearchLimit", "as_json", "cpus", "fetch", "limit", "on", "output", "seed", "sites"]

_Option = Callable[[Callable[..., object]], Callable[..., object]]


class SearchLimit(click.ParamType["Limits"]):
    """A limit of a search: a number of states, or a host time with a unit."""

    name = "limit"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Limits:
        from emu.race.limits import Limits

        text = str(value)
        if re.fullmatch("[0-9]{1,18}", text):
            if not int(text):
                self.fail(f"'{value}' is no limit: at least 1 state is seen.", param, ctx)
            return Limits(states=int(text))
        if not re.search("[a-z]$", text):
            self.fail(f"'{value}' is no limit: a number of states, or a time such as 30s, is needed.", param, ctx)
        return Limits(seconds=Duration().convert(text, param, ctx) / 10**9)


on = click.option(
    "--on",
    type=click.Choice(["model", "machine", "both"]),
    default="model",
    show_default=True,
    help="Search the model, the booted guest, or both.",
)
fetch = click.option("--fetch", metavar="M[,M...]", show_default="all that apply", help="Fetch models.")
seed = click.option("--seed", default=0, show_default=True, metavar="N", help="Seed of the machine: each one boots differently.")
limit = click.option(
    "--limit", type=SearchLimit(), metavar="STATES|TIME",
    help="End each search, undecided, after so many states, or after a time of the host: 30s.",
)  # fmt: skip
output = click.option(
    "-o", "output", type=click.Path(path_type=Path), metavar="FILE",
    help="Write the first unsafe schedule to FILE; all of them, if FILE is a folder.",
)  # fmt: skip
as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON document (docs/race-lab.md) instead of text.")


def cpus(default: int | str) -> _Option:
    """The option --cpus. A text describes the default."""
    return _count("--cpus", "How many CPUs.", default)


def sites(default: int | str) -> _Option:
    """The option --sites. A text describes the default."""
    return _count("--sites", "How many sites are changed together.", default)


def _count(name: str, text: str, default: int | str) -> _Option:
    number = default if isinstance(default, int) else None
    return click.option(name, type=int, default=number, show_default=default, metavar="N", help=text)

