# SPDX-License-Identifier: GPL-2.0-only
"""Places of uprobes, by symbol. uprobe_events needs offsets: /bin/cat:main+4 becomes /bin/cat:0x1b4."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from emu.cli.settings import Setting

if TYPE_CHECKING:
    from emu.kernel.program_files import Programs

__all__ = ["with_offsets"]

_FILES = ("uprobe_events", "dynamic_events")
_NUMBER = r"0[xX][0-9a-fA-F]+|[0-9]+"
_PLACE = re.compile(
    rf"^(?P<command>\s*[pr][0-9]*(?::\S*)?\s+)(?P<path>/\S*):(?P<symbol>[A-Za-z_.$][\w.$@]*)(?:\+(?P<more>{_NUMBER}))?(?=[%(\s]|$)",
    re.MULTILINE,
)


def with_offsets(files: Programs | None, setting: Setting) -> Setting:
    """A setting with the places of uprobes converted to offsets, as Linux requires.

    `files`: the guest's programs; None: they are not known, and the setting stays as it is.

    Raises:
        click.ClickException: the file does not exist, or does not have the symbol.
    """

    if files is None or setting.path not in _FILES:
        return setting

    def translated(place: re.Match[str]) -> str:
        from emu.ftrace.errors import did_you_mean
        from emu.kernel.program_files import UnknownPlace

        try:
            offset = files.file_offset(place["path"], place["symbol"])
        except UnknownPlace as error:
            hint = did_you_mean(place["symbol"], error.names) if error.names else ""
            raise click.ClickException(f"{setting.option}: {error.why}{hint}") from None
        return f"{place['command']}{place['path']}:{offset + int(place['more'] or '0', 0):#x}"

    return setting._replace(text=_PLACE.sub(translated, setting.text))
