// Words shared with the machine, by index (vm/rig.py has the same list).

export const CELL = { TICKS_US: 0, READY: 1, IRQ_OFF: 2, STARTED: 3, LISTENERS: 4 };
