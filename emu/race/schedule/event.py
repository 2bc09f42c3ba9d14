# SPDX-License-Identifier: GPL-2.0-only
"""What the patcher and the CPUs do in the race lab: one event after another is a schedule."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

__all__ = ["PATCHER", "Event", "What"]

PATCHER = -1  # the agent that is no CPU


class What(StrEnum):
    """The kinds of events, by the word that schedules have for them."""

    # The patcher's. Each waits until all CPUs have answered what was asked before.
    WRITE = "write"  # a store, or a part of one that is not whole
    SYNC = "sync"  # asks every CPU to take an interrupt and synchronise
    PARK = "park"  # asks every CPU to wait
    RELEASE = "release"  # lets the waiting CPUs go on; they have synchronised
    FREE = "free"  # gives the old calls' trampolines back
    WAIT_TASKS = "wait-tasks"  # no task stands in one of them any more
    FORGET = "forget"  # the handler no longer knows the sites
    DONE = "done"  # the protocol is over; the handler no longer knows the sites
    # A CPU's
    FETCH = "fetch"  # fetches one instruction of a site and executes it
    HANDLE = "handle"  # its breakpoint handler asks who put the breakpoint there, and acts
    INTERRUPT = "interrupt"  # takes the interrupt of SYNC
    WAIT = "wait"  # takes the interrupt of PARK, and waits
    GO_ON = "go-on"  # has been released, and goes on
    NMI = "nmi"  # an NMI comes, whose handler comes to a site
    LEAVE = "leave"  # returns from a trampoline
    ENTER = "enter"  # user mode to kernel
    EXIT = "exit"  # kernel to user mode


@dataclass(frozen=True)
class Event:
    """One thing that the patcher or a CPU does.

    Attributes:
        agent: the CPU's number, or PATCHER.
        what: its kind.
        site: of WRITE, FETCH, HANDLE and NMI: the site's number, from 1; otherwise 0. (A fetch within an NMI is FETCH.)
        offset: of WRITE and FETCH: the bytes between the site's beginning and the first one written or fetched.
        code: what is written or seen.
        versions: of FETCH: the version of each unit in which the bytes lie (`fetch.Views`).
        text: for readers: the instruction, what a handler does, what the guest says. It is not compared.
    """

    agent: int
    what: What
    site: int = 0
    offset: int = 0
    code: bytes = b""
    versions: tuple[int, ...] = ()
    text: str = field(default="", compare=False)
