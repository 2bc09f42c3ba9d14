# SPDX-License-Identifier: GPL-2.0-only
"""A page: one self-contained HTML file, which makes no requests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from html import escape
from pathlib import Path

from emu.trace.convert.about import about, title_of
from emu.trace.convert.flame_graph import flame_graph
from emu.trace.convert.options import CannotConvert, ConvertOptions
from emu.trace.convert.page.content import content
from emu.trace.convert.page.packing import deflated, packed
from emu.trace.trace import Trace

__all__ = ["page"]

_SCRIPTS = ("columns", "items", "content", "tracks", "painter", "view", "search", "tables", "flames", "details", "page")
_FLAMES = {"on CPU": False, "off CPU": True}
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'"


def page(trace: Trace, options: ConvertOptions) -> Iterator[bytes]:
    """The text of the HTML file.

    Raises:
        CannotConvert: nothing was selected.
    """
    shown = content(trace, options)
    layout, data = packed(shown.columns)
    if not any(count for count, _ in layout.values()):
        raise CannotConvert("there is nothing to show: no event of what was selected")
    title = escape(options.title or title_of(trace))
    flames, pictures = _flames(trace, options)
    said = {**shown.said, "layout": layout, "flames": flames, "about": {name: str(value) for name, value in about(trace).items()}}
    here = Path(__file__)
    style, body = here.with_name("page.css").read_text(), here.with_name("body.html").read_text()
    yield (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n<style>\n{style}</style>\n</head>\n'
        f'<body>\n<h1>{title}</h1>\n{body}<script type="application/json" id="said">\n'
    ).encode(errors="replace")
    yield json.dumps(said).replace("<", "\\u003c").encode()
    yield b'</script>\n<script type="text/plain" id="columns">'
    yield data.encode()
    for name, picture in pictures.items():
        yield f'</script>\n<script type="text/plain" id="{name}">{picture}'.encode()
    yield b'</script>\n<script>\n"use strict";\n'
    for name in _SCRIPTS:
        yield here.with_name(f"{name}.js").read_bytes()
    yield b"</script>\n</body>\n</html>\n"


def _flames(trace: Trace, options: ConvertOptions) -> tuple[dict[str, dict[str, str]], dict[str, str]]:
    """For each flame graph: the name of its picture, or why there is none; and the pictures, compressed."""
    said: dict[str, dict[str, str]] = {}
    pictures: dict[str, str] = {}
    for name, off_cpu in _FLAMES.items():
        try:
            picture = b"".join(flame_graph(trace, replace(options, off_cpu=off_cpu)))
        except CannotConvert as error:
            said[name] = {"missing": str(error)}
        else:
            place = f"flames-{len(pictures)}"
            said[name], pictures[place] = {"data": place}, deflated(picture)
    return said, pictures
