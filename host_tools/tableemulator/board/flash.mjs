// The writable flash: files by path, every change numbered, and the hook that cuts the power.
//
// A change (truncation, write, rename, removal, new folder) reaches the flash at once and whole,
// unless the power is cut at it: then the first `byte` bytes of a write are there, and one of the
// others has happened only if `byte` is above zero. This is harsher than a file system that
// commits on close: nothing the firmware writes is protected by it.
//
// It is the folder /flash beside a program that cannot be written, or, at "/", the whole of what a
// board has, with the blocks of LittleFS counted: a file takes one at least, a folder two.

export const ENOENT = 2;
const EEXIST = 17;
const ENOTDIR = 20;
const EISDIR = 21;
const ENOTEMPTY = 39;
const ENOSPC = 28;
const BLOCK = 4096;
const FOLDER_BLOCKS = 2;

export class Flash {
  /** files: {path: Buffer}; powerOff(): called when the power is cut, never returns.
   * root: "/flash" or "/"; size: of the whole in bytes. */
  constructor(files, powerOff, root, size) {
    this.files = new Map(Object.entries(files));
    this.root = root;
    this.folders = new Set([root]);
    this.blocks = Math.floor(size / BLOCK);
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

  erase() {
    this.files.clear();
    this.folders = new Set([this.root]);
    this.cut = null;
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
    return this.folders.has(name.slice(0, name.lastIndexOf("/")) || "/");
  }

  /** Blocks nobody uses. */
  free() {
    let used = FOLDER_BLOCKS * this.folders.size;
    for (const data of this.files.values()) used += blocksOf(data.length);
    return Math.max(0, this.blocks - used);
  }

  /** Make an empty file, or empty an old one. Returns 0 or a negative error number. */
  truncate(name) {
    if (this.folders.has(name)) return -EISDIR;
    if (!this.parentIsFolder(name)) return -ENOENT;
    if (this.size(name) === 0) return 0;
    if (!this.files.has(name) && this.free() === 0) return -ENOSPC;
    return this.change(1, () => this.files.set(name, Buffer.alloc(0)) && 0);
  }

  /** Write data at an offset, filling a gap with 0xFF as erased flash has. Returns its length. */
  write(name, offset, data) {
    const old = this.files.get(name);
    if (old === undefined) return -ENOENT;
    if (data.length === 0) return 0;
    const more = blocksOf(Math.max(old.length, offset + data.length)) - blocksOf(old.length);
    if (more > 0 && more > this.free()) return -ENOSPC;
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
    const prefix = name === "/" ? "/" : `${name}/`;
    const inside = (other) =>
      other !== name && other.startsWith(prefix) && !other.slice(prefix.length).includes("/");
    const found = [...this.files.keys(), ...this.folders].filter(inside).sort();
    return found.map((entry) => entry.slice(prefix.length));
  }
}

const blocksOf = (size) => Math.max(1, Math.ceil(size / BLOCK));
