# SPDX-License-Identifier: GPL-2.0-only
"""Plots of a campaign's table: means with confidence intervals against a parameter, or the shares of a text's values.

The same table yields the same bytes: nothing depends on the user's settings, the time, or the fonts of the host.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, cast

from emu.campaign.groups import (
    FEW,
    Groups,
    Key,
    Mean,
    check_column,
    group,
    is_number,
    is_text,
    means,
    numbers,
    text_counts,
    text_of,
    value_text,
    varying,
)
from emu.campaign.table import Table, write_whole
from emu.campaign.text import printable
from emu.campaign.unit import Scalar

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["FORMATS", "drawn", "plot"]

FORMATS = ("svg", "png")

_MOST_LINES, _MOST_PANELS = 40, 16
_BARS = 0.8  # of the distance between two places
_WIDTH, _HEIGHT, _DOTS = 8.0, 5.0, 150  # inches, and pixels per inch
_SETTINGS = {
    "svg.hashsalt": "emu",  # otherwise, identifiers are random
    "text.parse_math": False,  # names may have a $
    "axes.grid": True, "axes.axisbelow": True, "grid.alpha": 0.3, "errorbar.capsize": 3, "figure.dpi": _DOTS,
    "figure.constrained_layout.use": True,
}  # fmt: skip


@dataclass(frozen=True)
class _Chosen:
    """What is plotted.

    Attributes:
        lines: the combinations of the values of `by`, in order.
        places: the values of x, in order.
    """

    table: Table
    x: str
    y: str
    groups: Groups  # the first name is x, the others are those of `by`
    lines: Sequence[Key]
    places: Sequence[Scalar]

    def label(self, line: Key) -> str:
        return printable(text_of(dict(zip(self.groups.names[1:], line, strict=True))))


def plot(
    table: Table, x: str, y: str, path: Path | str, by: Sequence[str] | None = None, over: str | Sequence[str] = "seed"
) -> None:
    """Writes a plot of y against x as SVG or PNG.

    >>> plot(read_table("study/table.parquet"), "cpus", "cycles", "cycles.svg")

    Args:
        table: with a row for each run.
        x, y: columns. If y has numbers, the plot shows means with 95 % confidence intervals: as lines or, if x is a text, as
            bars. If y is a text, such as the outcome, it shows the share of each of its values.
        path: ends in .svg or .png.
        by: columns: each combination of their values has a line. Default: the parameters that vary, without x and `over`.
        over: the parameters in which runs of a group may differ.

    Raises:
        ValueError: there is no such column or format, or there is nothing to plot, or too much. The text is one line.
        OSError: the file cannot be written.
    """
    path = Path(path)
    data = drawn(table, x, y, path.suffix.removeprefix("."), by, over)
    write_whole(path, lambda file: file.write_bytes(data))


def drawn(
    table: Table, x: str, y: str, format_: str, by: Sequence[str] | None = None, over: str | Sequence[str] = "seed"
) -> bytes:
    """The bytes of a plot, see `plot`.

    Args:
        format_: svg or png.

    Raises:
        ValueError: see there.
    """
    if format_ not in FORMATS:
        raise ValueError(f"a plot's name ends in .svg or .png, not in '.{format_}'")
    chosen = _chosen(table, x, y, by, over)
    draw = _shares(chosen) if is_text(table, y) else _means(chosen)
    with _own_settings():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(_WIDTH, _HEIGHT))
        draw(figure)
        out = io.BytesIO()
        if format_ == "svg":
            figure.savefig(out, format="svg", metadata={"Date": None, "Creator": "emu"})
        else:
            figure.savefig(out, format="png", metadata={"Software": "emu"})
    return out.getvalue()


def _chosen(table: Table, x: str, y: str, by: Sequence[str] | None, over: str | Sequence[str]) -> _Chosen:
    for name in (x, y, *(by or ())):
        check_column(name, table.columns.column_names)
    if x == y:
        raise ValueError(f"x and y are both '{x}'")
    without = {x, y, *((over,) if isinstance(over, str) else over)}
    others = [name for name in varying(table)[0] if name not in without]
    lines = others if by is None else [name for name in dict.fromkeys(by) if name != x]
    groups = group(table, [x, *lines])
    if not groups.keys:
        raise ValueError("the table has no rows")
    combinations = group(table, lines).keys
    most = _MOST_PANELS if is_text(table, y) else _MOST_LINES
    if len(combinations) > most:
        raise ValueError(
            f"{len(combinations):,} combinations of {', '.join(lines)} are too many for one plot: choose by which it has lines"
        )
    return _Chosen(table, x, y, groups, combinations, [key[0] for key in group(table, [x]).keys])


@contextmanager
def _own_settings() -> Iterator[None]:
    """matplotlib with its default settings and these. A character that its font does not have is a box."""
    import matplotlib

    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)  # type: ignore[arg-type]  # its names are literals
        yield


# Numbers


def _means(chosen: _Chosen) -> Callable[[Figure], None]:
    table, groups = chosen.table, chosen.groups
    if not is_number(table, chosen.y):
        raise ValueError(f"'{chosen.y}' has no values")
    of_group = dict(zip(groups.keys, means(groups, numbers(table, chosen.y)), strict=True))
    lines = {line: [of_group.get((place, *line)) for place in chosen.places] for line in chosen.lines}
    as_lines = is_number(table, chosen.x) and None not in chosen.places

    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        handles = []
        for n, found in enumerate(lines.values()):
            there = [(place, mean) for place, mean in enumerate(found) if mean is not None and mean.mean is not None]
            if as_lines:
                places = [cast(float, chosen.places[place]) for place, _ in there]
                handles.append(_line(axes, places, [mean for _, mean in there], n))
            else:
                width = _BARS / len(lines)
                offset = (n - (len(lines) - 1) / 2) * width
                handles.append(_bars(axes, [place + offset for place, _ in there], [mean for _, mean in there], width, n))
        if not as_lines:
            _name_places(axes, chosen)
        axes.set_xlabel(printable(chosen.x))
        axes.set_ylabel(printable(chosen.y))
        axes.yaxis.set_major_formatter("{x:,.10g}")
        if chosen.lines != [()]:
            figure.legend(handles, [chosen.label(line) for line in chosen.lines], loc="outside right upper")

    return draw


def _line(axes: Axes, places: Sequence[float], found: Sequence[Mean], n: int) -> Artist:
    values = [mean.mean or 0.0 for mean in found]
    halves = [mean.half or 0.0 for mean in found]
    marker, style = "os^Dv"[n % 5], ("-", "--", ":", "-.")[n // 10 % 4]
    made = axes.errorbar(places, values, halves if any(halves) else None, marker=marker, linestyle=style, color=f"C{n % 10}")
    return cast("Artist", made)  # in a legend it is one


def _bars(axes: Axes, places: Sequence[float], found: Sequence[Mean], width: float, n: int) -> Artist:
    values = [mean.mean or 0.0 for mean in found]
    halves = [mean.half or 0.0 for mean in found]
    hatch = ("", "//", "..", "xx")[n // 10 % 4]
    made = axes.bar(places, values, width, yerr=halves if any(halves) else None, color=f"C{n % 10}", hatch=hatch)
    return cast("Artist", made)  # in a legend it is one


# Texts


def _shares(chosen: _Chosen) -> Callable[[Figure], None]:
    counts = text_counts(chosen.table, chosen.y, chosen.groups)
    if counts is None:
        raise ValueError(f"'{chosen.y}' is a text with more than {FEW} values, or with long ones")
    of_group = dict(zip(chosen.groups.keys, counts, strict=True))
    runs = {key: len(rows) for key, rows in zip(chosen.groups.keys, chosen.groups.rows, strict=True)}
    values = [*counts[0]]
    columns = ceil(sqrt(len(chosen.lines)))

    def draw(figure: Figure) -> None:
        rows = ceil(len(chosen.lines) / columns)
        panels = [*figure.subplots(rows, columns, sharey=True, squeeze=False).flat]
        handles: dict[str, Artist] = {}
        for axes, line in zip(panels, chosen.lines, strict=False):
            keys = [(place, *line) for place in chosen.places]
            there = [(n, key) for n, key in enumerate(keys) if key in of_group]
            bottom = [0.0] * len(there)
            for n, value in enumerate(values):
                heights = [of_group[key][value] / runs[key] for _, key in there]
                bars = axes.bar([at for at, _ in there], heights, _BARS, bottom, color=f"C{n % 10}")
                handles[value] = cast("Artist", bars)
                bottom = [below + height for below, height in zip(bottom, heights, strict=True)]
            axes.set_title(chosen.label(line), fontsize="small")
            axes.set_ylim(0, 1)
            _name_places(axes, chosen)
        for axes in panels[len(chosen.lines) :]:
            axes.set_axis_off()
        figure.supxlabel(printable(chosen.x), fontsize="medium")
        figure.supylabel(f"{printable(chosen.y)}: share of the runs", fontsize="medium")
        figure.legend([*handles.values()], [*map(printable, handles)], loc="outside right upper", title=printable(chosen.y))

    return draw


def _name_places(axes: Axes, chosen: _Chosen) -> None:
    names = [printable(value_text(place)) for place in chosen.places]
    axes.set_xticks(range(len(names)), names, rotation=45 if sum(map(len, names)) > 60 else 0)
