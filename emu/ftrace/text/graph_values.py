# SPDX-License-Identifier: GPL-2.0-only
"""The lines of a graph with what calls are given and return.

    vfs_read(file=0xffff888103214800, buf=0x7ffd6c0b2000, count=832, pos=0x0) { /* <-ksys_read+0x6f/0xf0 */
      __fdget_pos(fd=3); /* ret=0xffff888103214802 */
    } /* vfs_read ret=0x340 */
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from emu.ftrace.buffers.entries import ARGUMENTS
from emu.ftrace.text.call_values import ArgumentTexts, has_arguments, has_return_address, returned_text, values_behind
from emu.ftrace.text.columns import SymbolNames
from emu.ftrace.text.graph_layout import GraphLayout, Shape
from emu.ftrace.text.graph_style import GraphPrint
from emu.ftrace.text.rows import Indices, Rows
from emu.ftrace.text.view import TraceView

__all__ = ["GraphValues"]


class GraphValues:
    """Makes these lines for the rows of one trace.

    Args:
        view, rows, style: as for GraphText.
        layout: of the rows.
        names: the functions' names.
    """

    def __init__(self, view: TraceView, rows: Rows, style: GraphPrint, layout: GraphLayout, names: SymbolNames) -> None:
        self._rows, self._style, self._layout, self._names = rows, style, layout, names
        self._arguments = ArgumentTexts(view)
        self._places = SymbolNames(view, offset=True, address=view.option("sym-addr"))

    def lines(self, chosen: Indices) -> Iterator[tuple[int, str]]:
        """For each of these rows that is printed with values: its index in `chosen`, and its line without indentation.

        As in Linux, recorded arguments are printed whether or not funcgraph-args is still on. But those that are there for the
        return address's sake are printed only with the option.
        """
        layout, style, size = self._layout, self._style, self._rows.size[chosen]
        shape = layout.shape[chosen]
        begins, ends = np.isin(shape, (Shape.LEAF, Shape.OPEN)), np.isin(shape, (Shape.LEAF, Shape.CLOSE))
        with_address = begins & has_return_address(size)
        given = begins & has_arguments(size) & (~with_address | (GraphPrint.ARGS in style))
        with_address &= GraphPrint.RETADDR in style
        returns = ends & (GraphPrint.RETVAL in style)
        places = np.flatnonzero(given | with_address | returns)
        arguments, addresses = self._given(chosen, np.flatnonzero(given)), self._addresses(chosen, np.flatnonzero(with_address))
        always_hex = GraphPrint.RETVAL_HEX in style
        names = self._names.of(layout.function[chosen[places]])
        values = layout.returned[chosen[places]].tolist()
        for place, name, value, kind in zip(places.tolist(), names, values, shape[places].tolist(), strict=True):
            about = addresses.get(place, [])
            if returns[place]:
                about = [*about, returned_text(value, always_hex=always_hex)]
            if kind == Shape.CLOSE:
                yield place, f"}} /* {' '.join([name, *about])} */\n"
            else:
                comment = f" /* {' '.join(about)} */" if about else ""
                yield place, f"{name}{arguments.get(place, '()')}{' {' if kind == Shape.OPEN else ';'}{comment}\n"

    def _given(self, chosen: Indices, places: Indices) -> dict[int, str]:
        """The arguments of the calls at some places, by place."""
        rows = chosen[places]
        texts = self._arguments.of(self._layout.function[rows], values_behind(self._rows.take(rows), ARGUMENTS))
        return dict(zip(places.tolist(), texts, strict=True))

    def _addresses(self, chosen: Indices, places: Indices) -> dict[int, list[str]]:
        """Where they return to: one text each."""
        addresses = values_behind(self._rows.take(chosen[places]), ARGUMENTS + 1)[:, ARGUMENTS]
        return {place: [f"<-{name}"] for place, name in zip(places.tolist(), self._places.of(addresses), strict=True)}
