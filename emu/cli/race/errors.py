# SPDX-License-Identifier: GPL-2.0-only
"""Errors in the input of `emu race` commands, as one line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from emu.cli.guest_errors import guest_errors

__all__ = ["lab_errors"]


@contextmanager
def lab_errors(of: Path | None = None) -> Iterator[None]:
    """Converts errors of a body that uses the lab to errors of the command.

    Args:
        of: the file concerned, if the errors do not name it themselves.

    Raises:
        click.ClickException: a scenario, protocol, schedule or option is wrong, or a file cannot be read.
        BrokenPipeError: standard output is closed.
    """
    with guest_errors():
        try:
            yield
        except ValueError as error:
            raise click.ClickException(f"{of}: {error}" if of else str(error)) from None
        except BrokenPipeError:
            raise
        except OSError as error:
            raise click.ClickException(f"cannot read {error.filename}: {error.strerror}") from None
