// Lines that ran, by program file: kept over resets.

export class Coverage {
  constructor(world) {
    this.world = world;
    this.tables = []; // of the running machine: {name, address, length}, one byte per line
    this.lines = new Map(); // name -> Set of line numbers
  }

  add(name, address, length) {
    this.tables.push({ name, address, length });
    return 0;
  }

  /** Note what the machine's tables hold now. */
  gather() {
    for (const { name, address, length } of this.tables) {
      if (!this.lines.has(name)) this.lines.set(name, new Set());
      const seen = this.world.vm.bytes.subarray(address, address + length);
      seen.forEach((value, line) => value && this.lines.get(name).add(line));
    }
  }

  /** The machine is about to be thawed: its tables are gone. */
  forget() {
    this.gather();
    this.tables = [];
  }

  report() {
    this.gather();
    return Object.fromEntries([...this.lines].map(([name, lines]) => [name, [...lines].sort()]));
  }
}
