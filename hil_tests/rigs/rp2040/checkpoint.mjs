// The whole state of an emulated machine, put back in place: what was played since never was.
//
// Alarms and callbacks hold the emulator's objects, so the objects stay and get their content back.
// What a function holds in a variable of its own is not reached: no part of the emulator changes one.

/** Remembers the content of everything that is reachable from an object by its properties. */
export class Checkpoint {
  constructor(root) {
    this.contents = [];
    const reached = new Set();
    const waiting = [root];
    while (waiting.length > 0) {
      const object = waiting.pop();
      if (typeof object !== "object" || object === null || reached.has(object)) continue;
      reached.add(object);
      const content = contentOf(object);
      this.contents.push(content);
      // Not spread: a queue may hold more than a call takes arguments.
      for (const each of content.inner) waiting.push(each);
    }
  }

  restore() {
    for (const content of this.contents) content.restore();
  }
}

function contentOf(object) {
  if (object instanceof ArrayBuffer) return new Bytes(new Uint8Array(object));
  if (ArrayBuffer.isView(object)) {
    // A small buffer of Node shares its memory with others; a whole one is remembered once.
    const isWhole = object.byteLength === object.buffer.byteLength;
    return isWhole ? { inner: [object.buffer], restore() {} } : new Bytes(bytesOf(object));
  }
  if (object instanceof Map) return new Entries(object, (key, value) => object.set(key, value));
  if (object instanceof Set) return new Entries(object, (value) => object.add(value));
  return new Properties(object);
}

function bytesOf(view) {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

class Bytes {
  constructor(view) {
    this.view = view;
    this.copy = view.slice();
    this.inner = [];
  }

  restore() {
    this.view.set(this.copy);
  }
}

class Entries {
  constructor(collection, add) {
    this.collection = collection;
    this.add = add;
    this.copy = [...collection.entries()];
    this.inner = this.copy.flat();
  }

  restore() {
    this.collection.clear();
    for (const [key, value] of this.copy) this.add(key, value);
  }
}

class Properties {
  constructor(object) {
    this.object = object;
    this.names = Object.keys(object);
    this.inner = this.names.map((name) => object[name]);
  }

  restore() {
    const { object, names, inner } = this;
    if (Array.isArray(object)) object.length = 0;
    else if (Object.keys(object).length > names.length) {
      const before = new Set(names);
      for (const name of Object.keys(object)) if (!before.has(name)) delete object[name];
    }
    names.forEach((name, n) => (object[name] = inner[n]));
  }
}
