# SPDX-License-Identifier: GPL-2.0-only
"""Preloaded by a local worker: ^C is for the process that has started it, which then ends it."""

import signal

__all__ = ["dask_setup"]


def dask_setup(worker: object) -> None:
    """Called by dask in the worker's main thread."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
