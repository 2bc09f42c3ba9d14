# SPDX-License-Identifier: GPL-2.0-only
"""events/: a directory for each system and each event. It follows the modules that come and go."""

from __future__ import annotations

from collections.abc import Callable

from emu.ftrace.event.call import EventCall
from emu.ftrace.event.catalogue import Catalogue
from emu.ftrace.event.enable import available
from emu.ftrace.event.internal import SYSTEM as INTERNAL
from emu.ftrace.linux_names import EVENTS, event_directory, system_directory
from emu.ftrace.native.ring_buffer import DATA_SIZE, DATA_START
from emu.ftrace.trace_array import TraceArray
from emu.ftrace.tracefs.event_files import enable_file, event_files
from emu.ftrace.tracefs.held_file import HeldFile
from emu.ftrace.tracefs.node import File, LiveDirectory, StaticDirectory
from emu.ftrace.tracefs.text_file import TextFile
from emu.kernel.files.node import Node

__all__ = ["EventsDirectory"]

_HEADER_EVENT = """\
# compressed entry header
	type_len    :    5 bits
	time_delta  :   27 bits
	array       :   32 bits

	padding     : type == 29
	time_extend : type == 30
	time_stamp : type == 31
	data max type_len  == 28
"""
# A byte of `commit` says whether events were lost before the page.
_HEADER_PAGE = f"""\
	field: u64 timestamp;	offset:0;	size:8;	signed:0;
	field: local_t commit;	offset:8;	size:8;	signed:1;
	field: int overwrite;	offset:8;	size:1;	signed:1;
	field: char data;	offset:{DATA_START};	size:{DATA_SIZE};	signed:1;
"""


class EventsDirectory(LiveDirectory[str]):
    """The events as one trace array wants them.

    Args:
        array: the trace array.
        catalogue: the events there are.
    """

    def __init__(self, array: TraceArray, catalogue: Catalogue) -> None:
        held: Callable[[File], Node] = (lambda file: file) if array.is_top else (lambda file: HeldFile(file, array))

        def event_node(call: EventCall) -> Node:
            files = event_files(array, catalogue, call)
            linux = event_directory(call.system, call.name)
            return StaticDirectory({name: held(file) for name, file in files.items()}, linux)

        def system_node(system: str) -> Node:
            enable = enable_file(array, lambda: available(catalogue.of_system(system)))
            return LiveDirectory(
                lambda: {call.name: call for call in catalogue.of_system(system)},
                event_node,
                {} if system == INTERNAL else {"enable": held(enable)},
                system_directory(system),
            )

        super().__init__(
            lambda: {system: system for system in catalogue.systems()},
            system_node,
            {
                "enable": held(enable_file(array, lambda: available(catalogue.values()))),
                "header_event": held(TextFile(lambda: _HEADER_EVENT)),
                "header_page": held(TextFile(lambda: _HEADER_PAGE)),
            },
            EVENTS,
        )
