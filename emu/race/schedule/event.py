# SPDX-License-Identifier: GPL-2.0-only
"""The events of the patchers and the CPUs in the race lab. A sequence of events is a schedule."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

__all__ = ["PATCHER", "Event", "What", "agent_name"]

PATCHER = -1  # the agent that is not a CPU; other patchers of a scenario are -2, -3, ...


class What(StrEnum):
    """The kinds of events, by the words of schedules."""

    # A patcher's events. Each waits until all CPUs have answered its earlier ones.
    WRITE = "write"  # a store, or a part of a non-atomic one
    SYNC = "sync"  # asks every CPU to take an interrupt and synchronise
    PARK = "park"  # asks every CPU to park
    RELEASE = "release"  # lets the parked CPUs continue; they have synchronised
    FREE = "free"  # frees the old calls' trampolines
    WAIT_TASKS = "wait-tasks"  # waits until each task was away from sites and trampolines once
    KNOW = "know"  # the handler knows a site, or all
    FORGET = "forget"  # the handler no longer knows a site, or any
    LOCK = "lock"  # takes a lock
    UNLOCK = "unlock"  # gives it back
    PREEMPT = "preempt"  # begins, and from then on all other patchers stand still until it has ended
    DONE = "done"  # the protocol has ended; the handler no longer knows the sites
    # A CPU's events
    FETCH = "fetch"  # fetches one instruction of a site and executes it
    HANDLE = "handle"  # its breakpoint handler looks up the breakpoint, and acts
    INTERRUPT = "interrupt"  # takes the interrupt of SYNC
    WAIT = "wait"  # takes the interrupt of PARK, and is parked
    GO_ON = "go-on"  # has been released, and continues
    NMI = "nmi"  # an NMI occurs, whose handler reaches a site
    RETURN = "return"  # returns from an NMI in which NMIs are unmasked
    IRQ = "irq"  # another interrupt occurs, whose handler reaches a site
    IDLE = "idle"  # the idle task reaches a site
    OFFLINE = "offline"  # the CPU goes
    ONLINE = "online"  # it comes back, synchronised
    LEAVE = "leave"  # returns from a trampoline
    ENTER = "enter"  # user mode to kernel
    EXIT = "exit"  # kernel to user mode


@dataclass(frozen=True)
class Event:
    """One event of the patcher or a CPU.

    Attributes:
        agent: the CPU's number, or below 0 the patcher's (PATCHER: the first one's).
        what: the kind.
        site: of WRITE, FETCH, HANDLE, NMI, IRQ and IDLE: the site's number, from 1; of KNOW and FORGET: the same, or 0: all;
            of LOCK and UNLOCK: the lock's number, from 1; otherwise 0. (A fetch within an NMI is FETCH.)
        offset: of WRITE and FETCH: the offset in the site of the first byte written or fetched.
        code: the bytes written or fetched.
        versions: of FETCH: the version of each unit that contains the bytes (`fetch.Views`).
        text: for readers: the instruction, the handler's action, or the guest's message. It is not compared.
    """

    agent: int
    what: What
    site: int = 0
    offset: int = 0
    code: bytes = b""
    versions: tuple[int, ...] = ()
    text: str = field(default="", compare=False)


def agent_name(event: Event, cpu: str) -> str:
    """Who makes an event: "patcher", "patcher 2", or the CPU's number behind `cpu`."""
    if event.agent == PATCHER:
        return "patcher"
    return f"patcher {1 + PATCHER - event.agent}" if event.agent < PATCHER else f"{cpu}{event.agent}"
