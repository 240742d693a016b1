"""Chunks made smaller and whole again. The libraries are loaded by whoever needs them."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from studio.runtime.base.log_compression import CHOICES
from studio.runtime.recording.format.checksums import Bytes
from studio.runtime.recording.format.errors import LogError, UnknownCompression

LARGEST_CHUNK_BYTES = 1 << 30
_MOST_GAINED = {"": 1, "lz4": 256, "zstd": 40_000}
"""No content of either form grows more than this: a length that claims it is wrong, and nothing is allocated for it."""
_ZSTD_LEVEL = 1
_BLOCK_BYTES = 1 << 20


def name_in_file(compression: str) -> str:
    """What chunk records call it: nothing at all for none."""
    if compression not in CHOICES:
        raise LogError(f"there is no compression {compression!r}", hint=f"choose {', '.join(CHOICES)}")
    return "" if compression == "none" else compression


def compress(name: str, data: bytes) -> bytes:
    if name == "lz4":
        return bytes(_lz4().compress(data, store_size=True))
    return bytes(_zstd().compress(data, _ZSTD_LEVEL))


def decompress(name: str, stored: Bytes, size: int) -> Bytes:
    """The content of a chunk, which is to be `size` bytes long."""
    if name not in _MOST_GAINED:
        raise UnknownCompression(name)
    if size > LARGEST_CHUNK_BYTES or size > len(stored) * _MOST_GAINED[name] + (1 << 17):
        raise LogError(f"a chunk of {len(stored)} bytes claims to hold {size}")
    data = stored if name == "" else _decompressed(name, stored, size)
    if len(data) != size:
        raise LogError(f"a chunk holds {len(data)} bytes instead of {size}")
    return data


def _decompressed(name: str, stored: Bytes, size: int) -> bytes:
    try:
        if name == "lz4":
            return bytes(_lz4().LZ4FrameDecompressor().decompress(stored, max_length=size + 1))
        return bytes(_zstd().ZstdDecompressor().decompress(stored, max_length=size + 1))
    except Exception as error:  # each library has its own, and they change between versions
        raise LogError(f"a chunk cannot be decompressed: {error}") from error


def unpack_zstd(stored: Bytes) -> bytes:
    """What somebody compressed by itself, whatever its size."""
    try:
        unpacker = _zstd().ZstdDecompressor()
        data = bytes(unpacker.decompress(stored, max_length=LARGEST_CHUNK_BYTES))
    except Exception as error:  # as in `_decompressed`
        raise LogError(f"cannot be decompressed: {error}") from error
    if not unpacker.eof:
        more = len(data) == LARGEST_CHUNK_BYTES
        raise LogError(
            f"would be larger than {LARGEST_CHUNK_BYTES} bytes" if more else "its compressed bytes end early"
        )
    return data


def unpack_zstd_file(path: Path, copy: Path, progress: Callable[[int, int], object]) -> None:
    """Raises OSError for what the disk does not take."""
    size = path.stat().st_size
    with path.open("rb") as stream, copy.open("xb") as out:
        try:
            with _zstd().ZstdFile(stream) as unpacked:
                while block := unpacked.read(_BLOCK_BYTES):
                    out.write(block)
                    progress(stream.tell(), size)
        except (EOFError, _zstd().ZstdError) as error:
            raise LogError(f"its compressed bytes are damaged: {error}", file=path) from error


@cache
def _lz4() -> Any:
    return importlib.import_module("lz4.frame")


@cache
def _zstd() -> Any:
    """In the standard library from Python 3.14 on, under another name before."""
    try:
        return importlib.import_module("compression.zstd")
    except ImportError:
        return importlib.import_module("backports.zstd")
