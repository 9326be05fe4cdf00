"""Readers: files, folders and streams of traces to spans.

`read_path` and `read_bytes` yield `Span` and `Problem` records. The shape of the input is told from its content, never from a
file's name. What is broken is a problem with its place, and the rest is read; InputError says that nothing could be.
"""

from otel_toolscore.otlp.sources import InputError, NotSpansError, read_bytes, read_path, read_stream

__all__ = ["InputError", "NotSpansError", "read_bytes", "read_path", "read_stream"]
