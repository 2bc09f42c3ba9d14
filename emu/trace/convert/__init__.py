# SPDX-License-Identifier: GPL-2.0-only
"""Conversion of traces to formats of other tools: pictures, tables, and timeline formats."""

from emu.trace.convert.formats import FORMATS, Format, convert, format_of
from emu.trace.convert.options import By, CannotConvert, ConvertOptions

__all__ = ["FORMATS", "By", "CannotConvert", "ConvertOptions", "Format", "convert", "format_of"]
