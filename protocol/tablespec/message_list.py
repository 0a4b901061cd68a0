"""Every message on the wire, by its id. Ids are never reused; fields are only appended."""

from tablespec.core import (
    command_messages,
    configuration_messages,
    diagnosis_messages,
    fault_messages,
    program,
    round_messages,
    table_messages,
    trace_messages,
    trust_messages,
)
from tablespec.core.field_shapes import Message
from tablespec.roles import PLAYED

__all__ = ["BY_ID", "MESSAGES", "Message"]

MESSAGES: tuple[Message, ...] = tuple(
    sorted(
        (
            *table_messages.MESSAGES,
            *round_messages.MESSAGES,
            *fault_messages.MESSAGES,
            *trust_messages.MESSAGES,
            *configuration_messages.MESSAGES,
            *trace_messages.MESSAGES,
            *command_messages.MESSAGES,
            *program.MESSAGES,
            *diagnosis_messages.MESSAGES,
            *(message for role in PLAYED for message in role.messages),
        ),
        key=lambda message: message.id,
    )
)
BY_ID = {message.id: message for message in MESSAGES}
