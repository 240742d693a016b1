"""The bytes of a log: records, chunks, checksums, compression."""
