# SPDX-License-Identifier: GPL-2.0-only
"""The events of a real kernel; the text of its lines is parsed into entries, to be printed again."""

from __future__ import annotations

import functools
import re
import struct
from collections.abc import Iterator, Mapping, Sequence

from emu.ftrace.event.call import EventCall, EventKind, Field
from tests.ftrace.text.golden import Recording
from tests.lib.golden import read_golden

__all__ = ["CONSTANTS", "VALUES", "Unrecoverable", "calls_by_number", "golden_calls", "record_event"]

_STEXT = 0xFFFFFFFF81000000
VALUES = {"_stext": _STEXT, "jiffies": 0, "vmemmap_base": 0xFFFFEA0000000000}
CONSTANTS = {"sizeof(struct page)": 64}
_POINTER = 0xFFFF888000001000  # the golden does not show its value
_HIDDEN = "(____ptrval____)"

# Numbers of enums that the kernel's build has replaced; `format` still shows their names.
_ENUMS = {"HRTIMER_MODE_ABS": 0, "HRTIMER_MODE_REL": 1}
_ENUMS |= {f"{mode}_PINNED": value + 2 for mode, value in _ENUMS.items()}
_ENUMS |= {f"{mode}_SOFT": value + 4 for mode, value in _ENUMS.items()}
_ENUMS |= {f"{mode}_HARD": value + 8 for mode, value in _ENUMS.items() if "SOFT" not in mode}


class Unrecoverable(Exception):
    """The fields of an event cannot be derived from a line."""


@functools.cache
def golden_calls() -> Mapping[str, EventCall]:
    """The events of the golden, by SYSTEM:NAME."""
    calls = {}
    for block in re.split("^== ", read_golden("format-all.txt.gz"), flags=re.MULTILINE)[1:]:
        system, name = block.split("/")[1:3]
        description, _, print_fmt = block.rstrip("\n").partition("\nprint fmt: ")
        fields = [field for field in _fields(description) if not field.name.startswith("common_")]
        kind = EventKind.TRACEPOINT
        if system == "syscalls":
            kind = EventKind.SYSCALL_ENTER if name.startswith("sys_enter") else EventKind.SYSCALL_EXIT
        print_fmt = re.sub(r"HRTIMER_MODE_\w+", lambda name: str(_ENUMS[name[0]]), print_fmt)
        number = int(re.findall(r"^ID: (\d+)$", description, re.MULTILINE)[0])
        size = max((field.offset + field.size for field in fields), default=8)
        calls[f"{system}:{name}"] = EventCall(system, name, number, fields, print_fmt, size, kind)
    return calls


@functools.cache
def calls_by_number() -> Mapping[int, EventCall]:
    """The events by number, without the system `ftrace`, whose events are the host's."""
    return {call.number: call for call in golden_calls().values() if call.system != "ftrace"}


def _fields(description: str) -> Iterator[Field]:
    for line in re.findall(r"^\tfield:(.*?);\toffset:(\d+);\tsize:(\d+);\tsigned:(\d);$", description, re.MULTILINE):
        declaration, offset, size, signed = line
        type_, name, length = re.fullmatch(r"(.*?) (\w+)(\[\w*\])?", declaration).groups("")
        count = int(length[1:-1]) if length[1:-1].isdigit() else 1
        element = 1 if "_loc " in type_ else int(size) // count  # all fields with data elsewhere are strings
        yield Field(type_ + length, name, int(offset), int(size), signed == "1", element)


def record_event(recording: Recording, common: Mapping[str, int], body: str) -> bytes:
    """The entry for a line. `recording` gets the event, the symbols, and the strings behind pointers.

    Raises:
        Unrecoverable: the fields cannot be derived from the line.
    """
    if system_call := re.fullmatch(r"sys_(\w+)\((.*)\)", body):
        call = golden_calls()[f"syscalls:sys_enter_{system_call[1]}"]
        values = re.findall(r"(\w+): ([0-9a-f]+)", system_call[2])
        assert [name for name, _ in values] == [field.name for field in call.fields[1:]]
        data = struct.pack(f"=q{len(values)}Q", 0, *(int(value, 16) for _, value in values))
    elif result := re.fullmatch(r"sys_(\w+) -> 0x([0-9a-f]+)", body):
        call = golden_calls()[f"syscalls:sys_exit_{result[1]}"]
        data = struct.pack("=qQ", 0, int(result[2], 16))
    else:
        name, _, text = body.partition(": ")
        found = [call for call in calls_by_number().values() if call.name == name]
        if not found:
            raise Unrecoverable(body)
        call, data = found[0], _Line(found[0], recording).data(text)
    recording.calls[call.number] = call
    header = struct.pack("=HBBi", call.number, common["flags"], common["preempt_count"], common["pid"])
    entry = header + data
    return entry + bytes(-len(entry) % 4)


_CONVERSION = re.compile(r"%[-#+ 0]*(\d*)(?:hh?|ll?|[Lz])?([diuxXosc]|p[a-zA-Z]*)")
_PATTERNS = {"d": r"-?\d+", "u": r"\d+", "x": "(?:0x)?[0-9a-f]+", "s": ".*?", "c": ".", "p": r"\(____ptrval____\)"}
_CHOICE = r"""REC->(\w+)[^?]*? \? ["'](.*)["'] : ["'](.*)["']"""


class _Line:
    """Parses the text of one event, by the arguments of its print fmt."""

    def __init__(self, call: EventCall, recording: Recording) -> None:
        self._call = call
        self._fields = {field.name: field for field in call.fields}
        self._recording = recording
        self._numbers: dict[tuple[str, int], int] = {}  # by field and index
        self._texts: dict[str, bytes] = {}

    def data(self, text: str) -> bytes:
        """The entry after the common fields."""
        format_, *arguments = _split(self._call.print_fmt)
        kinds = [kind for _, kind in _CONVERSION.findall(format_)]
        pattern, end = "", 0
        for found, argument in zip(_CONVERSION.finditer(format_), arguments, strict=True):
            shown = _PATTERNS.get(found[2], r"\S+")
            if choice := re.fullmatch(_CHOICE, argument):
                shown = "|".join(map(re.escape, choice.groups()[1:]))
            pattern += re.escape(format_[end : found.start()]) + (" *" if found[1] else "") + f"({shown})"
            end = found.end()
        parts = re.fullmatch(pattern + re.escape(format_[end:]), text)
        assert parts, (self._call.name, text)
        for kind, argument, shown in zip(kinds, arguments, parts.groups(), strict=True):
            self._read(kind, argument, shown)
        return self._packed()

    def _read(self, kind: str, argument: str, shown: str) -> None:
        cast = r"(?:\( ?[\w *]+\) ?)*"
        if choice := re.fullmatch(_CHOICE, argument):
            bit = 0x100 if choice[2] == "+" else 1
            self._add(choice[1], 0, bit if shown == choice[2] else 0)
        elif table := re.search(r'__print_(flags|symbolic)\(REC->(\w+)[^,]*, (?:"\|", )?(\{.*\})\s*\)', argument):
            self._add(table[2], 0, _value_in(table[3], shown))
        elif string := re.fullmatch(r"__get_str\((\w+)\)", argument):
            self._texts[string[1]] = shown.encode() + b"\0"
        elif difference := re.fullmatch(r"\(long\)REC->(\w+) - REC->(\w+)", argument):
            self._add(difference[2], 0, self._numbers[difference[1], 0] - int(shown))
        elif shifted := re.fullmatch(r"REC->(\w+) >> (\d+)", argument):
            self._add(shifted[1], 0, int(shown) << int(shifted[2]))
        elif symbol := re.fullmatch(r".*_stext\) \+ REC->(\w+)\)", argument):
            address = 0 if shown == "0x0" else self._recording.symbols.address_of(shown)
            self._add(symbol[1], 0, (address - _STEXT) % (1 << 32))
        elif plain := re.fullmatch(rf"{cast}\(?REC->(\w+)(?:\[(\d)\])?\)?(?: & \w+)?", argument):
            self._read_field(kind, self._fields[plain[1]], int(plain[2] or 0), shown)
        elif page := re.fullmatch(r"REC->(\w+) != -1UL \? REC->\w+ : 0", argument):
            self._add(page[1], 0, int(shown, 16))
        elif "struct page" in argument:
            assert shown == _HIDDEN  # it follows from the next field
        elif not argument.endswith('? "true" : "false"'):  # follows from another field
            raise Unrecoverable(argument)

    def _read_field(self, kind: str, field: Field, index: int, shown: str) -> None:
        if kind == "s" and "*" in field.type:
            strings = self._recording.strings
            value = next((at for at, text in strings.items() if text == shown), 0x1000 * (len(strings) + 1))
            strings[value] = shown
        elif kind == "s":
            self._texts[field.name] = shown.encode() + b"\0"
            return
        elif kind[0] == "p":
            value = _POINTER if shown == _HIDDEN else self._address(shown)
        else:
            value = int(shown, 16 if kind == "x" else 10)
        self._add(field.name, index, value)

    def _address(self, shown: str) -> int:
        return int(shown, 16) if shown.startswith("0x") else self._recording.symbols.address_of(shown)

    def _add(self, name: str, index: int, bits: int) -> None:
        self._numbers[name, index] = self._numbers.get((name, index), 0) | bits

    def _packed(self) -> bytes:
        data = bytearray(self._call.size)
        for (name, index), value in self._numbers.items():
            field = self._fields[name]
            at = field.offset + index * field.element
            data[at : at + field.element] = (value % (1 << 8 * field.element)).to_bytes(field.element, "little")
        for name, text in self._texts.items():
            field = self._fields[name]
            if field.is_dynamic:
                struct.pack_into("=I", data, field.offset, len(text) << 16 | len(data))
                data += text
            else:
                data[field.offset : field.offset + len(text)] = text
        return bytes(data[8:])


def _split(print_fmt: str) -> Sequence[str]:
    """The format without its quotes, and the arguments."""
    parts, depth = [""], 0
    for token in re.findall(r'"(?:[^"\\]|\\.)*"|.', print_fmt):
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(token, 0)
        if token == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += token
    return [parts[0].strip('"'), *(part.strip() for part in parts[1:])]


def _value_in(table: str, shown: str) -> int:
    """The number with the text `shown`: one name, several with `|`, or a number."""
    values = {}
    for number, name in re.findall(r'\{([^"]*), "([^"]*)"\s*\}', table):
        plain = re.sub(r"\( ?(?:gfp_t|unsigned long)\)", "", number)
        values[name] = eval(re.sub(r"(?<=[0-9a-f])[uU]?[lL]*\b", "", plain))
    if shown in values:
        return values[shown]
    return functools.reduce(
        lambda bits, name: bits | (values[name] if name in values else int(name, 16)),
        (name for name in shown.split("|") if name not in ("", "R", "none")),
        0,
    )
