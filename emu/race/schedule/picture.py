# SPDX-License-Identifier: GPL-2.0-only
"""A schedule as a picture, and as a page to click through: a lane for the patcher and for each CPU, time from top to bottom."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import escape

from emu.race.schedule import show
from emu.race.schedule.event import PATCHER, Event, What
from emu.race.schedule.schedule import Schedule
from emu.race.schedule.walk import Walk

__all__ = ["page", "svg"]

_LINE = 15  # pixels of height of a line of text
_CHARACTER = 7  # pixels of width
_MARGIN = 12
_HEAD = 3 * _LINE
_STYLE = """\
text{font:12px monospace;fill:#222}.lane{stroke:#ccc}.parked{stroke:#b8860b;stroke-width:3}
rect{fill:#eef3fb;stroke:#7a96c2;rx:3}.write rect{fill:#fdf1d6;stroke:#c9a24a}.wrong rect{fill:#fbdcdc;stroke:#c03030}
.chosen rect{stroke-width:3}"""
_SCRIPT = """\
const states = STATES;
let now = 0;
function go(to) {
  now = Math.max(0, Math.min(states.length - 1, to));
  document.querySelectorAll("g.event").forEach(g => {
    const n = +g.id.slice(1);
    g.classList.toggle("chosen", n === now);
    g.style.opacity = n > now ? 0.25 : 1;
  });
  document.getElementById("number").textContent = now + " of " + (states.length - 1);
  document.getElementById("state").textContent = states[now];
}
document.querySelectorAll("g.event").forEach(g => g.addEventListener("click", () => go(+g.id.slice(1))));
document.getElementById("back").addEventListener("click", () => go(now - 1));
document.getElementById("next").addEventListener("click", () => go(now + 1));
document.addEventListener("keydown", e => {
  if (e.key === "ArrowDown" || e.key === "n") go(now + 1);
  if (e.key === "ArrowUp" || e.key === "p") go(now - 1);
});
go(0);
"""


def svg(schedule: Schedule) -> str:
    """The picture.

    Raises:
        NotPermitted: an event is impossible at its place.
        ValueError: the scenario is impossible.
    """
    return "".join(f"{line}\n" for line in _picture(Walk(schedule)))


def page(schedule: Schedule) -> str:
    """An HTML page with the picture; a click on an event, or a key, shows the state after it. Errors as for `svg`."""
    walk = Walk(schedule)
    picture = "\n".join(_picture(walk))
    head = "\n".join(show.head(walk))
    states = []
    for number in range(len(walk.points)):
        walk.go_to(number)
        memory = [f"site {site}: {code.hex(' ')}" for site, code in enumerate(walk.point.memory, 1)]
        states.append("\n".join([f"memory has version {walk.point.version}", *memory, "", *show.state(walk)]))
    data = json.dumps(states).replace("<", "\\u003c")
    wrong = f"{schedule.wrong}: {schedule.why}" if schedule.wrong else "nothing wrong"
    return "\n".join(
        [
            "<!DOCTYPE html>", '<html lang="en"><head><meta charset="utf-8">', f"<title>{escape(schedule.scenario.name)}</title>",
            "<style>body{font:14px sans-serif;margin:1em}pre{font:12px monospace}main{display:flex;gap:2em}</style></head><body>",
            f"<h1>{escape(schedule.scenario.name)}</h1>", f"<pre>{escape(head)}</pre>", f"<p><b>{escape(wrong)}</b></p>",
            '<p><button id="back">back</button> <button id="next">next</button> event <span id="number"></span>; '
            "or click an event, or press n and p</p>",
            f'<main><div>{picture}</div><pre id="state"></pre></main>',
            f"<script>{_SCRIPT.replace('STATES', data)}</script>", "</body></html>", "",
        ]
    )  # fmt: skip


def _picture(walk: Walk) -> Iterator[str]:
    """The lines of the SVG."""
    schedule = walk.schedule
    texts = [show.cell(walk, number) for number in range(1, len(walk.points))]
    patchers = 1 + len(schedule.scenario.others)
    lanes = range(patchers + schedule.scenario.cpus)
    widths = [_width(walk, texts, lane) for lane in lanes]
    lefts = [_MARGIN + sum(widths[:lane]) + 3 * _MARGIN * (lane + 1) for lane in lanes]
    tops, bottom = [], _HEAD
    for text in texts:
        tops.append(bottom)
        bottom += len(text) * _LINE + _MARGIN + 6
    size = f"{lefts[-1] + widths[-1] + _MARGIN} {bottom + _MARGIN}"
    wide, high = size.split()
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" width="{wide}" height="{high}">'
    yield f"<style>{_STYLE}</style>"
    for lane in lanes:
        middle = lefts[lane] + widths[lane] // 2
        name = f"CPU {lane - patchers}" if lane >= patchers else f"patcher {lane + 1}" if lane else "patcher"
        yield f'<text x="{middle}" y="{2 * _LINE}" text-anchor="middle">{name}</text>'
        yield f'<line class="lane" x1="{middle}" x2="{middle}" y1="{_HEAD - 8}" y2="{bottom}"/>'
        if lane >= patchers:
            yield from _parked(walk, lane - patchers, middle, [*tops, bottom])
    for number, (text, top) in enumerate(zip(texts, tops, strict=True), 1):
        event, wrong = walk.points[number].event, walk.points[number].wrong
        assert event is not None
        lane = _lane(walk, event)
        kind = "wrong" if wrong else "write" if event.what is What.WRITE else "other"
        yield f'<g class="event {kind}" id="e{number}"><text x="{_MARGIN}" y="{top + _LINE}">{number}</text>'
        high_of = len(text) * _LINE + 6
        yield f'<rect x="{lefts[lane]}" y="{top}" width="{widths[lane]}" height="{high_of}"/>'
        for n, line in enumerate(text):
            place = f'x="{lefts[lane] + 6}" y="{top + _LINE * (n + 1) - 1}" xml:space="preserve"'
            yield f"<text {place}>{escape(line)}</text>"
        yield "</g>"
    yield "</svg>"


def _lane(walk: Walk, event: Event) -> int:
    patchers = 1 + len(walk.schedule.scenario.others)
    return PATCHER - event.agent if event.agent <= PATCHER else patchers + event.agent


def _width(walk: Walk, texts: list[list[str]], lane: int) -> int:
    events = [point.event for point in walk.points if point.event is not None]
    longest = [max(map(len, text)) for text, event in zip(texts, events, strict=True) if _lane(walk, event) == lane]
    return max([8, *longest]) * _CHARACTER + 2 * _MARGIN


def _parked(walk: Walk, cpu: int, middle: int, tops: list[int]) -> Iterator[str]:
    """A thick line where a CPU waits."""
    for number in range(1, len(walk.points)):
        if walk.points[number].parked[cpu]:
            yield f'<line class="parked" x1="{middle}" x2="{middle}" y1="{tops[number - 1] + _LINE}" y2="{tops[number] + 6}"/>'
