"""The wire of every table: messages, enumerations, reason codes and configuration keys."""
