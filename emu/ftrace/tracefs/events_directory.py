# SPDX-License-Identifier: GPL-2.0-only
"""events/: a directory for each system and each event. It changes as modules are loaded and unloaded."""

from __future__ import annotations

from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.event.call import EventCall
from emu.ftrace.event.catalogue import Catalogue
from emu.ftrace.event.enable import available
from emu.ftrace.event.filters import EventFilters
from emu.ftrace.event.internal import SYSTEM as INTERNAL
from emu.ftrace.linux_events import events_directory, system_directory
from emu.ftrace.native.ring_record import DATA_SIZE, DATA_START
from emu.ftrace.tracefs.array_file import ArrayFile
from emu.ftrace.tracefs.event_files import enable_file, event_files, hist_debug_file, system_filter_file
from emu.ftrace.tracefs.node import File, LiveDirectory, StaticDirectory
from emu.ftrace.tracefs.text_file import TextFile
from emu.kernel.files.node import Node

__all__ = ["HEADER_EVENT", "HEADER_PAGE", "EventsDirectory"]

HEADER_EVENT = """\
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
HEADER_PAGE = f"""\
	field: u64 timestamp;	offset:0;	size:8;	signed:0;
	field: local_t commit;	offset:8;	size:8;	signed:1;
	field: int overwrite;	offset:8;	size:1;	signed:1;
	field: char data;	offset:{DATA_START};	size:{DATA_SIZE};	signed:1;
"""


class EventsDirectory(LiveDirectory[str]):
    """The events directory of one trace array.

    Args:
        array: the trace array.
        catalogue: the existing events.
    """

    def __init__(self, array: TraceArray, catalogue: Catalogue) -> None:
        filters = EventFilters(array)

        def of_array(file: File) -> Node:
            return ArrayFile(file, array)

        def event_node(call: EventCall) -> Node:
            files = event_files(array, filters, catalogue, call)
            listed = {name: of_array(file) for name, file in files.items()}
            return StaticDirectory(listed, {"hist_debug": of_array(hist_debug_file(array, catalogue, call))})

        def system_node(system: str) -> Node:
            def calls() -> list[EventCall]:
                return available(catalogue.of_system(system))

            files = {"enable": enable_file(array, calls), "filter": system_filter_file(filters, system, calls)}
            return LiveDirectory(
                lambda: catalogue.named(system),
                event_node,
                {} if system == INTERNAL else {name: of_array(file) for name, file in files.items()},
                system_directory(system, catalogue.lacking),
            )

        super().__init__(
            lambda: {system: system for system in catalogue.systems()},
            system_node,
            {
                "enable": of_array(enable_file(array, lambda: available(catalogue.values()))),
                "header_event": of_array(TextFile(lambda: HEADER_EVENT)),
                "header_page": of_array(TextFile(lambda: HEADER_PAGE)),
            },
            events_directory(catalogue.lacking),
        )
