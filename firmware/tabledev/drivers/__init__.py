"""What touches the chip: the only folder that imports `machine`."""
