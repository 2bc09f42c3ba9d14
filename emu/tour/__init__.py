# SPDX-License-Identifier: GPL-2.0-only
"""The examples of the ftrace documents, typed into a guest's shell."""

from emu.tour.document import DOCUMENTS, Document, document
from emu.tour.guide import Guide
from emu.tour.section import Command, Example, NotHere, Section

__all__ = ["DOCUMENTS", "Command", "Document", "Example", "Guide", "NotHere", "Section", "document"]
