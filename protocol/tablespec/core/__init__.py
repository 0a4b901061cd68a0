"""What every table speaks: messages, enumerations, reason codes and configuration keys."""
