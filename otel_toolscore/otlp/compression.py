"""Compressed streams, read as far as they go."""

from __future__ import annotations

import io
import zlib
from typing import TYPE_CHECKING, BinaryIO, Final

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

GZIP: Final = b"\x1f\x8b"

_CHUNK: Final = 1 << 16
_GZIP_WINDOW: Final = 31


class Gunzip(io.RawIOBase):
    """The text of a gzip stream of one or more members.

    A stream that breaks off or is damaged ends where it does; `fault` then says why.
    """

    def __init__(self, compressed: BinaryIO) -> None:
        self._compressed = compressed
        self._member = zlib.decompressobj(_GZIP_WINDOW)
        self._input = b""
        self._begun = False
        self.fault: str | None = None

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Fill the buffer with what comes next; 0 at the end, or where the stream is damaged."""
        target = memoryview(buffer).cast("B")
        text = b""
        while not text and self.fault is None:
            if self._member.eof:
                self._input = (self._member.unused_data or self._input).lstrip(b"\x00")
                self._member, self._begun = zlib.decompressobj(_GZIP_WINDOW), False
            self._input = self._input or self._compressed.read(_CHUNK)
            if not self._begun:
                self._input = self._input.lstrip(b"\x00")
            if not self._input:
                self.fault = "the gzip stream ends early" if self._begun else None
                break
            try:
                text = self._member.decompress(self._input, len(target))
            except zlib.error:
                self.fault = "the gzip stream is damaged"
                break
            self._begun = True
            self._input = self._member.unconsumed_tail
        target[: len(text)] = text
        return len(text)
