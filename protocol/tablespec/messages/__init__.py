"""Every message on the wire, declared once. Ids are never reused; fields are only appended."""

from tablespec.messages import (
    card_shoe,
    commands,
    configuration,
    diagnosis,
    dice_tray,
    draw_machine,
    faults,
    money_wheel,
    program,
    rounds,
    shuffler,
    table,
    traces,
    trust,
)
from tablespec.messages.shapes import Message

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
            *money_wheel.MESSAGES,
            *shuffler.MESSAGES,
            *card_shoe.MESSAGES,
            *dice_tray.MESSAGES,
            *draw_machine.MESSAGES,
        ),
        key=lambda message: message.id,
    )
)
BY_ID = {message.id: message for message in MESSAGES}
