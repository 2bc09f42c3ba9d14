# SPDX-License-Identifier: GPL-2.0-only
"""Programs of the host that a test needs. Tests are never skipped for what belongs to the project, such as the guest's images."""

from __future__ import annotations

import shutil

import pytest

__all__ = ["needs"]


def needs(*programs: str) -> pytest.MarkDecorator:
    """A mark for tests that are skipped if the host lacks one of the programs. The reason names the missing ones."""
    missing = [name for name in programs if shutil.which(name) is None]
    return pytest.mark.skipif(bool(missing), reason=f"needs {', '.join(missing)}")
