# SPDX-License-Identifier: GPL-2.0-only
"""What can be wrong with what a command of `emu race` was given, as one line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from emu.cli.guest_errors import guest_errors

__all__ = ["lab_errors"]


@contextmanager
def lab_errors() -> Iterator[None]:
    """Turns the errors of a body that uses the lab into the command's.

    Raises:
        click.ClickException: a scenario, protocol, schedule or option is wrong, or a file cannot be read.
    """
    with guest_errors():
        try:
            yield
        except ValueError as error:
            raise click.ClickException(str(error)) from None
        except OSError as error:
            raise click.ClickException(f"cannot read {error.filename}: {error.strerror}") from None
