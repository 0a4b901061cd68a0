"""Every message on the wire, by its id. Ids are never reused; fields are only appended."""

from tablespec.core import (
    commands,
    configuration,
    diagnosis,
    faults,
    program,
    rounds,
    table,
    traces,
    trust,
)
from tablespec.core.shapes import Message
from tablespec.roles import PLAYED

__all__ = ["BY_ID", "MESSAGES", "Message"]

MESSAGES: tuple[Message, ...] = tuple(
    sorted(
        (
            *table.MESSAGES,
            *rounds.MESSAGES,
            *faults.MESSAGES,
            *trust.MESSAGES,
            *configuration.MESSAGES,
            *traces.MESSAGES,
            *commands.MESSAGES,
            *program.MESSAGES,
            *diagnosis.MESSAGES,
            *(message for role in PLAYED for message in role.messages),
        ),
        key=lambda message: message.id,
    )
)
BY_ID = {message.id: message for message in MESSAGES}
