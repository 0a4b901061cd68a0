"""A dealing shoe that reads each card as it leaves: the role `card_shoe`."""
