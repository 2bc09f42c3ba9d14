# SPDX-License-Identifier: GPL-2.0-only
"""Dynamic ftrace.

Its packages, from users' requests down to native code:

    tracefs                         files: what users write and read
    guest                           the guest kernel's requests to tracing, from its command line on
    arrays                          trace arrays: what each one records, and what all of them share
    tracers                         the tracers, and other measurements
    event, dynevent                 the kernel's events, and events that users define
    hist, trigger                   histograms and other event triggers
    probes                          kprobes, return probes, uprobes
    sites                           call sites and static keys, and how they are changed under running CPUs
    buffers                         ring buffers and their contents
    native                          the compiled code that runs at each traced call
    text                            the lines of a trace
    arch                            what an architecture provides
"""
