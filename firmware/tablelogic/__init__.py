"""Pure decisions of the table: sensor edges in, rounds out. No pin, clock, file or port."""
