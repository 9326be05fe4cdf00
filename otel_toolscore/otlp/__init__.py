"""Readers: files, folders and streams of traces to spans.

    sources.py     paths -> streams; what a stream holds is told from its content; InputError
      documents.py a stream -> JSON records, a line or a document at a time (nodes.py decodes them a level at a time,
                   salvage.py keeps what is whole of one that breaks off)
      shapes.py    a record -> its shape: otlp_json.py, flat.py (scalars.py reads ids, enums and times of all)
    reading.py     many paths at once, with the problems and the traces that lost spans

`read_path` and `read_bytes` yield `Span` and `Problem` records. The shape of the input is told from its content, never from a
file's name. What is broken is a problem with its place, and the rest is read; InputError says that nothing could be.
"""

from otel_toolscore.otlp.reading import Reading
from otel_toolscore.otlp.sources import InputError, NotSpansError, read_bytes, read_path, read_stream

__all__ = ["InputError", "NotSpansError", "Reading", "read_bytes", "read_path", "read_stream"]
