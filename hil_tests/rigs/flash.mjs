// The writable flash: files by path, every change numbered, and the hook that cuts the power.
//
// A change (truncation, write, rename, removal, new folder) reaches the flash at once and whole,
// unless the power is cut at it: then the first `byte` bytes of a write are there, and one of the
// others has happened only if `byte` is above zero. This is harsher than a file system that
// commits on close: nothing the firmware writes is protected by it.

export const ENOENT = 2;
const EEXIST = 17;
const ENOTDIR = 20;
const EISDIR = 21;
const ENOTEMPTY = 39;
const ROOT = "/flash";

export class Flash {
  /** files: {path: Buffer}; powerOff(): called when the power is cut, never returns. */
  constructor(files, powerOff) {
    this.files = new Map(Object.entries(files));
    this.folders = new Set([ROOT]);
    for (const name of this.files.keys()) this.addParents(name);
    this.powerOff = powerOff;
    this.writes = 0;
    this.cut = null;
  }

  addParents(name) {
    for (let at = name.lastIndexOf("/"); at > 0; at = name.lastIndexOf("/", at - 1)) {
      this.folders.add(name.slice(0, at));
    }
  }

  /** Set a file from outside; not a write of the firmware. */
  put(name, data) {
    this.files.set(name, data);
    this.addParents(name);
  }

  cutAfter(writes, byte) {
    this.cut = { write: this.writes + writes, byte };
  }

  /** Do one change of `size` bytes by apply(bytesThatArrive), counting it and cutting if due. */
  change(size, apply) {
    this.writes++;
    if (this.cut === null || this.writes < this.cut.write) return apply(size);
    const { byte } = this.cut;
    this.cut = null;
    if (size > 1 || byte > 0) apply(Math.min(size, byte));
    return this.powerOff();
  }

  /** 0 nothing, 1 file, 2 folder. */
  kind(name) {
    if (this.files.has(name)) return 1;
    return this.folders.has(name) ? 2 : 0;
  }

  size(name) {
    return this.files.has(name) ? this.files.get(name).length : -ENOENT;
  }

  /** Bytes of a file; none if it is gone. */
  read(name, offset, length) {
    return this.files.get(name)?.subarray(offset, offset + length) ?? Buffer.alloc(0);
  }

  parentIsFolder(name) {
    return this.folders.has(name.slice(0, name.lastIndexOf("/")));
  }

  /** Make an empty file, or empty an old one. Returns 0 or a negative error number. */
  truncate(name) {
    if (this.folders.has(name)) return -EISDIR;
    if (!this.parentIsFolder(name)) return -ENOENT;
    if (this.size(name) === 0) return 0;
    return this.change(1, () => this.files.set(name, Buffer.alloc(0)) && 0);
  }

  /** Write data at an offset, filling a gap with 0xFF as erased flash has. Returns its length. */
  write(name, offset, data) {
    const old = this.files.get(name);
    if (old === undefined) return -ENOENT;
    if (data.length === 0) return 0;
    return this.change(data.length, (count) => {
      const next = Buffer.alloc(Math.max(old.length, offset + count), 0xff);
      old.copy(next);
      next.set(data.subarray(0, count), offset);
      this.files.set(name, next);
      return count;
    });
  }

  remove(name) {
    if (!this.files.has(name)) return this.folders.has(name) ? -EISDIR : -ENOENT;
    return this.change(1, () => this.files.delete(name) && 0);
  }

  rename(from, to) {
    if (!this.files.has(from)) return -ENOENT;
    if (!this.parentIsFolder(to)) return -ENOENT;
    if (this.folders.has(to)) return -EISDIR;
    return this.change(1, () => {
      this.files.set(to, this.files.get(from));
      if (from !== to) this.files.delete(from);
      return 0;
    });
  }

  mkdir(name) {
    if (this.kind(name) !== 0) return -EEXIST;
    if (!this.parentIsFolder(name)) return -ENOENT;
    return this.change(1, () => this.folders.add(name) && 0);
  }

  rmdir(name) {
    if (!this.folders.has(name)) return this.files.has(name) ? -ENOTDIR : -ENOENT;
    if (this.list(name).length > 0) return -ENOTEMPTY;
    return this.change(1, () => this.folders.delete(name) && 0);
  }

  /** Names directly in a folder, sorted. */
  list(name) {
    const prefix = `${name}/`;
    const inside = (other) =>
      other.startsWith(prefix) && !other.slice(prefix.length).includes("/");
    return [...this.files.keys(), ...this.folders].filter(inside).sort();
  }
}
