# SPDX-License-Identifier: GPL-2.0-only
"""A flame graph: one self-contained SVG file. Clicking a frame zooms to it.

A frame's width is its share of the time, and it is drawn on its caller. Sibling frames are in alphabetical order.
A caption says what was added up.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from emu.trace.convert.about import title_of
from emu.trace.convert.options import CannotConvert, ConvertOptions
from emu.trace.convert.stacks import Meaning, Stacks, stacks
from emu.trace.trace import Trace

__all__ = ["flame_graph"]

WIDTH, MARGIN, ROW, TOP, BOTTOM = 1200, 10, 17, 66, 34  # pixels; a row is a level of frames
_NARROWEST = 0.1  # the width of the narrowest frame that is drawn, in pixels
_CHARACTER = 7.2  # pixels


class _Frame(NamedTuple):
    node: int  # -1: all
    name: str
    level: int
    x: float
    width: float


def flame_graph(trace: Trace, options: ConvertOptions) -> Iterator[bytes]:
    """The text of the SVG file.

    Raises:
        CannotConvert: the trace has neither calls nor stack traces, or the selected ones took no time.
    """
    found = stacks(trace, options)
    totals = _totals(found)
    whole = sum(total for total, parent in zip(totals, found.parent.tolist(), strict=True) if parent < 0)
    if not whole:
        raise CannotConvert("nothing that was selected has taken any time")
    frames = list(_frames(found, totals, whole))
    height = TOP + BOTTOM + ROW * (1 + max(frame.level for frame in frames))
    title = options.title or title_of(trace)
    yield _head(title, found.meaning, height).encode(errors="replace")
    for frame in frames:
        own, calls = (0, 0) if frame.node < 0 else (int(found.own[frame.node]), int(found.calls[frame.node]))
        total = whole if frame.node < 0 else totals[frame.node]
        details = _details(frame.name, total, own, calls, whole, found.meaning)
        yield _element(frame, height, details, cold=options.off_cpu).encode(errors="replace")
    yield b"</g>\n</svg>\n"


def _totals(found: Stacks) -> list[int]:
    """The weight of each node, including deeper stacks."""
    totals: list[int] = found.own.tolist()
    parents = found.parent.tolist()
    for node in range(len(totals) - 1, -1, -1):
        if parents[node] >= 0:
            totals[parents[node]] += totals[node]
    return totals


def _frames(found: Stacks, totals: list[int], whole: int) -> Iterator[_Frame]:
    """The frames that are wide enough to be visible, each before those above it."""
    scale = (WIDTH - 2 * MARGIN) / whole
    below: dict[int, list[int]] = {}
    for node, (total, parent) in enumerate(zip(totals, found.parent.tolist(), strict=True)):
        if total * scale >= _NARROWEST:
            below.setdefault(parent, []).append(node)
    yield _Frame(-1, "all", 0, MARGIN, WIDTH - 2 * MARGIN)
    left = [(-1, 0, 0)]  # node, level, weight to its left
    while left:
        node, level, before = left.pop()
        for child in sorted(below.get(node, ()), key=lambda each: found.names[found.frame[each]]):
            yield _Frame(child, found.names[found.frame[child]], level + 1, MARGIN + before * scale, totals[child] * scale)
            left.append((child, level + 1, before))
            before += totals[child]


def _details(name: str, total: int, own: int, calls: int, whole: int, meaning: Meaning) -> str:
    share = f"{100 * total / whole:.2f} %"
    if meaning.unit == "samples":
        return f"{name}: {share}, {total:,} samples, self {own:,}"
    plural = "es" if meaning.counted.endswith("ch") else "s"
    many = f", {calls:,} {meaning.counted}{plural * (calls != 1)}" if calls else ""
    return f"{name}: {share}, {total / 1000:,.3f} us, self {own / 1000:,.3f} us{many}"


def _element(frame: _Frame, height: int, details: str, *, cold: bool) -> str:
    y = height - BOTTOM - ROW * (frame.level + 1)
    x, width = f"{frame.x:.2f}", f"{frame.width:.2f}"
    room = int((frame.width - 4) / _CHARACTER)
    shown = frame.name if len(frame.name) <= room else frame.name[: room - 2] + ".." if room > 3 else ""
    return (
        f'<g class="frame" data-name={quoteattr(_printable(frame.name))}><title>{escape(_printable(details))}</title>'
        f'<rect x="{x}" y="{y}" width="{width}" height="{ROW - 1}" fill="{_colour(frame.name, cold=cold)}"/>'
        f'<text x="{frame.x + 3:.2f}" y="{y + 12}">{escape(_printable(shown))}</text></g>\n'
    )


def _printable(text: str) -> str:
    """The text without the characters that XML does not allow."""
    return "".join(character if character.isprintable() else "?" for character in text)


def _colour(name: str, *, cold: bool) -> str:
    """A colour that depends only on the name: red to yellow, or blue for time off the CPU; light enough for black letters."""
    number = zlib.crc32(name.encode(errors="replace"))
    return f"hsl({(192 if cold else 12) + number % 42},{72 + (number >> 8) % 20}%,{62 + (number >> 16) % 12}%)"


def _head(title: str, meaning: Meaning, height: int) -> str:
    here = Path(__file__)
    scale = f'data-margin="{MARGIN}" data-width="{WIDTH}" data-character="{_CHARACTER}"'
    style, script = (here.with_name(f"flame_graph.{kind}").read_text() for kind in ("css", "js"))
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="100%" viewBox="0 0 {WIDTH} {height}" {scale}>
<style>{style}</style>
<script><![CDATA[
{script}]]></script>
<rect class="paper" width="100%" height="100%"/>
<text class="title" x="{WIDTH // 2}" y="22">{escape(_printable(title))}</text>
<text class="caption" x="{WIDTH // 2}" y="39">{escape(f"{meaning.name}: {meaning.sums}")}</text>
<text id="reset" class="button" x="{MARGIN}" y="57">whole picture</text>
<foreignObject x="{WIDTH - 330}" y="44" width="200" height="20">
<input xmlns="http://www.w3.org/1999/xhtml" id="search" type="search" placeholder="search: a regular expression"/>
</foreignObject>
<text id="matched" x="{WIDTH - MARGIN}" y="57"></text>
<text id="details" x="{MARGIN}" y="{height - 12}"></text>
<g id="frames">
"""
