# SPDX-License-Identifier: GPL-2.0-only
"""The package sources of the host, for another release of its distribution (sources.list(5), both forms)."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

__all__ = ["sources_of_release"]

_ONE_LINE = re.compile(r"\s*deb\s+(?:\[(?P<options>[^]]*)\]\s*)?(?P<uri>\S+)\s+(?P<suite>\S+)\s+(?P<components>[^#]+)")
_SUITE = re.compile(r"(?P<name>[a-z]+)(?P<kind>-security|-updates|/updates|)")
_ALIASES = {"stable", "oldstable", "testing", "unstable", "sid"}
_KEPT = {"signed-by": "Signed-By", "trusted": "Trusted"}  # how its packages are trusted
_COMPONENT = "main"  # kernels are free

Source = Mapping[str, str]  # fields of the form with paragraphs, with names in small letters


def sources_of_release(release: str, main: Path, parts: Path) -> str:
    """The text of a .sources file: each mirror of the host's own distribution, with the suites of a release.

    Args:
        release: its name, such as trixie.
        main: the file sources.list.
        parts: the folder sources.list.d.
    """
    paragraphs = []
    for source in _all(main, parts):
        kinds = [kind for suite in source.get("suites", "").split() if (kind := _kind(suite)) is not None]
        if kinds and _COMPONENT in source.get("components", "").split():
            suites = " ".join(dict.fromkeys(f"{release}{kind}" for kind in kinds))
            trust = "".join(f"{name}: {source[field]}\n" for field, name in _KEPT.items() if field in source)
            paragraphs.append(f"Types: deb\nURIs: {source['uris']}\nSuites: {suites}\nComponents: {_COMPONENT}\n{trust}")
    return "\n".join(paragraphs)


def _kind(suite: str) -> str | None:
    """What follows the release's name in one of the distribution's own suites; None for a suite of somebody else."""
    try:
        codename = platform.freedesktop_os_release().get("VERSION_CODENAME", "")
    except OSError:
        codename = ""
    match = _SUITE.fullmatch(suite)
    if match is None or match["name"] not in {codename, *_ALIASES}:
        return None
    return match["kind"].replace("/updates", "-security")  # so Debian called it until its release 10


def _all(main: Path, parts: Path) -> Iterator[Source]:
    for path in [main, *sorted(parts.glob("*.list")), *sorted(parts.glob("*.sources"))]:
        try:
            text = path.read_text("utf-8", "replace")
        except OSError:  # there is no such file, or apt cannot read it either
            continue
        yield from _paragraphs(text) if path.suffix == ".sources" else _lines(text)


def _lines(text: str) -> Iterator[Source]:
    for match in filter(None, map(_ONE_LINE.match, text.splitlines())):
        options = dict(option.split("=", 1) for option in (match["options"] or "").split() if "=" in option)
        yield {**options, "uris": match["uri"], "suites": match["suite"], "components": match["components"]}


def _paragraphs(text: str) -> Iterator[Source]:
    """Fields keep their further lines: a key may stand in the file."""
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    for paragraph in re.split(r"\n(?:[ \t]*\n)+", "\n".join(lines)):
        fields = re.findall(r"^([^\s:]+):[ \t]*(.*(?:\n[ \t].*)*)", paragraph, re.MULTILINE)
        source = {name.lower(): value for name, value in fields}
        if "deb" in source.get("types", "").split() and source.get("enabled", "yes").lower() not in ("no", "false", "0", "off"):
            yield {"uris": "", **source}
