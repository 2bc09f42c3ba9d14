# SPDX-License-Identifier: GPL-2.0-only
"""Dynamic ftrace.

Its rooms, from the requests of users down to native code:

    tracefs                         files: what users write and read
    guest                           what the guest's kernel asks of tracing, from its command line on
    arrays                          trace arrays: what each one is asked to do, and what all of them share
    tracers                         the tracers, and what else measures
    event, dynevent                 events of the kernel, and those that users define
    hist, trigger                   histograms, and what else happens at events
    probes                          kprobes, return probes, uprobes
    sites                           call sites and static keys, and how they are changed under running CPUs
    buffers                         ring buffers, and what is in them
    native                          what happens at each traced call, compiled
    text                            the lines of a trace
    arch                            what an architecture provides
"""
