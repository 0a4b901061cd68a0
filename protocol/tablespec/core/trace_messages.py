"""Traces on the wire: the trace of a round, chunk by chunk."""

from construct import Struct

from tablespec.core.field_shapes import U32, Message
from tablespec.field_types import number, raw

_CHUNK_BYTES = 192

MESSAGES: tuple[Message, ...] = (
    Message(
        0x08, "trace_chunk", "table", False,
        Struct(
            "trace_round" / number("I", "", 1, U32, "round of the trace"),
            "trace_offset" / number("H", "bytes", 0, 65535, "offset of this chunk in the trace"),
            "trace_bytes" / number("H", "bytes", 0, 65535, "length of the trace, 0: none"),
            "data" / raw(_CHUNK_BYTES, "", "from offset on; zeros beyond the end of the trace"),
        ),
        "A piece of the trace of a round, in answer to fetch_trace.",
    ),
    Message(
        0x4D, "fetch_trace", "host", False,
        Struct(
            "trace_round" / number("I", "", 1, U32, "one of the last ten rounds"),
            "trace_offset" / number("H", "bytes", 0, 65535, "from where on, 0 first"),
        ),
        "Send a piece of the trace of a round; refused while a ball runs, the first one also with "
        "bets open.",
    ),
)  # fmt: skip
