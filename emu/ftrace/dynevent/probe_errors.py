# SPDX-License-Identifier: GPL-2.0-only
"""Errors in probe definitions: Linux's messages, and the position in the command for error_log."""

from __future__ import annotations

import enum
import errno
import re
from collections.abc import Iterable

from emu.ftrace.errors import ErrorReport, TraceError

__all__ = ["ProbeCommand", "ProbeError", "split_words"]


class ProbeError(enum.Enum):
    """The errors, by Linux's names."""

    FILE_NOT_FOUND = "Failed to find the given file"
    NO_REGULAR_FILE = "Not a regular file"
    BAD_REFCNT = "Invalid reference counter offset"
    REFCNT_OPEN_BRACE = "Reference counter brace is not closed"
    BAD_REFCNT_SUFFIX = "Reference counter has wrong suffix"
    BAD_UPROBE_OFFS = "Invalid uprobe offset"
    BAD_MAXACT_TYPE = "Maxactive is not for kprobe"
    BAD_MAXACT = "Invalid maxactive number"
    MAXACT_TOO_BIG = "Maxactive is too big"
    BAD_PROBE_ADDR = "Invalid probed address or symbol"
    NON_UNIQ_SYMBOL = "The symbol is not unique"
    BAD_RETPROBE = "Retprobe address must be an function entry"
    BAD_ADDR_SUFFIX = "Invalid probed address suffix"
    NO_GROUP_NAME = "Group name is not specified"
    GROUP_TOO_LONG = "Group name is too long"
    BAD_GROUP_NAME = "Group name must follow the same rules as C identifiers"
    NO_EVENT_NAME = "Event name is not specified"
    EVENT_TOO_LONG = "Event name is too long"
    BAD_EVENT_NAME = "Event name must follow the same rules as C identifiers"
    EVENT_EXIST = "Given group/event name is already used by another event"
    RETVAL_ON_PROBE = "$retval is not available on probe"
    BAD_STACK_NUM = "Invalid stack number"
    BAD_ARG_NUM = "Invalid argument number"
    BAD_VAR = "Invalid $-valiable specified"
    BAD_REG_NAME = "Invalid register name"
    BAD_MEM_ADDR = "Invalid memory address"
    BAD_IMM = "Invalid immediate value"
    IMMSTR_NO_CLOSE = "String is not closed with '\"'"
    FILE_ON_KPROBE = "File offset is not available with kprobe"
    BAD_FILE_OFFS = "Invalid file offset value"
    SYM_ON_UPROBE = "Symbol is not available with uprobe"
    TOO_MANY_OPS = "Dereference is too much nested"
    DEREF_NEED_BRACE = "Dereference needs a brace"
    BAD_DEREF_OFFS = "Invalid dereference offset"
    DEREF_OPEN_BRACE = "Dereference brace is not closed"
    COMM_CANT_DEREF = "$comm can not be dereferenced"
    BAD_FETCH_ARG = "Invalid fetch argument"
    ARRAY_NO_CLOSE = "Array is not closed"
    BAD_ARRAY_SUFFIX = "Array has wrong suffix"
    BAD_ARRAY_NUM = "Invalid array size"
    ARRAY_TOO_BIG = "Array number is too big"
    BAD_TYPE = "Unknown type is specified"
    BAD_STRING = "String accepts only memory argument"
    BAD_SYMSTRING = "Symbol String doesn't accept data/userdata"
    BAD_BITFIELD = "Invalid bitfield"
    ARG_NAME_TOO_LONG = "Argument name is too long"
    NO_ARG_NAME = "Argument name is not specified"
    BAD_ARG_NAME = "Argument name must follow the same rules as C identifiers"
    USED_ARG_NAME = "This argument name is already used"
    ARG_TOO_LONG = "Argument expression is too long"
    NO_ARG_BODY = "No argument expression"
    BAD_INSN_BNDRY = "Probe point is not an instruction boundary"
    FAIL_REG_PROBE = "Failed to register probe event"
    DIFF_PROBE_TYPE = "Probe type is different from existing probe"
    DIFF_ARG_TYPE = "Argument type or name is different from existing probe"
    SAME_PROBE = "There is already the exact same probe event"
    NO_EVENT_INFO = "This requires both group and event name to attach"
    BAD_ATTACH_EVENT = "Attached event does not exist"
    BAD_ATTACH_ARG = "Attached event does not have this field"
    NO_EP_FILTER = "No filter rule after 'if'"
    NOSUP_BTFARG = "BTF is not available or not supported"
    NO_BTFARG = "This variable is not found at this probe point"
    NO_BTF_ENTRY = "No BTF entry for this probe point"
    BAD_VAR_ARGS = "$arg* must be an independent parameter without name etc."
    NOFENTRY_ARGS = "$arg* can be used only on function entry or exit"
    DOUBLE_ARGS = "$arg* can be used only once in the parameters"
    ARGS_2LONG = "$arg* failed because the argument list is too long"
    NO_PTR_STRCT = "This is not a pointer to union/structure."
    NOSUP_DAT_ARG = "Non pointer structure/union argument is not supported."
    BAD_HYPHEN = "Failed to parse single hyphen. Forgot '>'?"
    NO_BTF_FIELD = "This field is not found."
    BAD_BTF_TID = "Failed to get BTF type info."
    BAD_TYPE4STR = "This type does not fit for string."
    TYPECAST_REQ_FIELD = "Typecast requires a field access"
    TYPECAST_NOT_ALIGNED = "Typecast field option is not byte-aligned"
    TYPECAST_BAD_ARROW = "Typecast field option does not support -> operator"
    TOO_MANY_NESTED = "Too many nested typecasts/dereferences"
    NO_RETVAL = "This function returns 'void' type"
    NO_TRACEPOINT = "Tracepoint is not found"
    BAD_TP_NAME = "Invalid character in tracepoint name"
    EVENT_TOO_BIG = "Event too big (too many fields?)"


def split_words(text: str) -> list[str]:
    """The words of a command, separated by C's white space only."""
    return re.findall(r"[^ \t\n\v\f\r]+", text)


class ProbeCommand:
    """A command that defines a probe.

    Args:
        place: the name in error_log of the failing part: `trace_kprobe`, `trace_uprobe`, `event_probe`.
        text: the command.

    Attributes:
        words: the words of the command.
    """

    def __init__(self, place: str, text: str) -> None:
        self.words = split_words(text)
        self._place = place

    def error(
        self,
        what: ProbeError,
        word: int,
        position: int = 0,
        code: int = errno.EINVAL,
        misspelt: tuple[str, Iterable[str]] | None = None,
        why: str = "",
    ) -> TraceError:
        """The error for a refused command.

        Args:
            what: the error.
            word: the index of the wrong word; an index after the last word means that something is missing there.
            position: the caret's position in the word.
            code: the errno.
            misspelt: as in `TraceError`.
            why: the end of the user's sentence; "": where the error is.
        """
        text = " ".join(self.words)
        before = sum(len(one) + 1 for one in self.words[:word])
        rest = self.words[word][position:] if word < len(self.words) else ""
        report = ErrorReport(self._place, what.value, text, before + position)
        return TraceError(code, f"probe '{text}': {what.value}: {why or repr(rest or text)}", misspelt, logged=report)
