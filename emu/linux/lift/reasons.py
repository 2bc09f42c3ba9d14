# SPDX-License-Identifier: GPL-2.0-only
"""What is lifted up to, and why code cannot be lifted."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CannotLift", "NoCall", "Target"]


class CannotLift(Exception):
    """Code does what lifted code cannot do. The message says what: "its code ..."."""


class NoCall(CannotLift):
    """Code does not lead to the call of a tracepoint's functions."""

    def __init__(self) -> None:
        super().__init__("does not call the tracepoint's functions")


@dataclass(frozen=True)
class Target:
    """The call of a tracepoint's functions.

    Attributes:
        functions: the addresses that are called, any of them: that of the static call, of the iterator, of the functions.
        stack_words: how many arguments are on the stack.
        funcs: the address of the tracepoint's list of functions, which is taken not to be empty.
    """

    functions: frozenset[int]
    stack_words: int
    funcs: int
