// The MicroPython virtual machine as an object: load, call, run code, freeze and thaw its memory.
//
// Knows nothing of pins, time or the harness; those are passed in as imports and host functions.
// A frozen image is the whole linear memory plus the tables of objects that crossed the bridge,
// so a reset is a copy and every boot starts from the same bytes.

import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { invokes } from "./invokes.mjs";

const KIND_EXCEPTION = -1;
const KIND_INT = 3;
const JS_INTEGER = 3;
const JS_STRING = 5;
const BRIDGE_BYTES = 64 * 1024; // what crosses the bridge in a tight run
const SMALLEST_FILL = 1024;
const PAGE = 65536; // the memory is a whole number of these
const PAGE_OF_ZEROS = Buffer.alloc(PAGE);

/** Thrown through the machine to switch it off; the image must be thawed before the next call. */
export class PowerOff extends Error {
  constructor(cause) {
    super(cause);
    this.cause = cause;
  }
}

export class Vm {
  /**
   * packageDir: folder of the npm package; settrace: use the build with sys.settrace.
   * clock: {ticksMs(), epochMs(), random()} answer the port's three questions to its host.
   */
  static async load({ packageDir, settrace, heapBytes, pystackWords, clock }) {
    const vm = new Vm();
    vm.growth = true;
    vm.text = { 1: [], 2: [] };
    vm.decoder = new TextDecoder();
    const port = await import(pathToFileURL(path.join(packageDir, "micropython.mjs")).href);
    const variant = settrace ? "micropython-settrace.wasm" : "micropython.wasm";
    const original = WebAssembly.instantiate;
    WebAssembly.instantiate = (bytes, imports) => vm.instantiate(original, bytes, imports, clock);
    try {
      vm.port = await port.loadMicroPython({
        heapsize: heapBytes,
        pystack: pystackWords,
        url: path.join(packageDir, variant),
      });
    } finally {
      WebAssembly.instantiate = original;
    }
    // References are never given back one by one: an image is thawed instead.
    globalThis.pyProxyFinalizationRegistry = { register() {} };
    vm.args = vm.exports.malloc(12);
    vm.out = vm.exports.malloc(12);
    return vm;
  }

  async instantiate(original, bytes, imports, clock) {
    const { env, wasi_snapshot_preview1: wasi } = imports;
    const grow = env.emscripten_resize_heap;
    env.emscripten_resize_heap = (size) => (this.growth ? grow(size) : 0);
    env.mp_js_ticks_ms = () => clock.ticksMs();
    env.mp_js_time_ms = () => clock.epochMs();
    env.mp_js_random_u32 = () => clock.random();
    const write = wasi.fd_write;
    wasi.fd_write = (fd, iov, count, done) =>
      fd === 1 || fd === 2 ? this.capture(fd, iov, count, done) : write(fd, iov, count, done);
    const names = Object.keys(env).filter((name) => name.startsWith("invoke_"));
    const own = invokes(names);
    for (const name of names) env[name] = own.functions[name];
    env._emscripten_throw_longjmp = own.throwJump;
    const result = await original(bytes, imports);
    this.exports = result.instance.exports;
    own.connect(this.exports);
    return result;
  }

  /** From now on the machine's memory is what it has, but for some room for the bridge. */
  forbidGrowth() {
    const { malloc, free } = this.exports;
    this.growth = false;
    const reserve = malloc(BRIDGE_BYTES);
    this.blocks = [];
    for (let size = 1 << 24; size >= SMALLEST_FILL; size >>= 1) {
      for (let at = malloc(size); at !== 0; at = malloc(size)) this.blocks.push(at);
    }
    free(reserve);
  }

  allowGrowth() {
    for (const at of this.blocks) this.exports.free(at);
    this.blocks = [];
    this.growth = true;
  }

  /** Views of the linear memory, made again whenever it has grown. */
  get bytes() {
    if (this.byteView === undefined || this.byteView.length === 0) this.view();
    return this.byteView;
  }

  get words() {
    if (this.wordView === undefined || this.wordView.length === 0) this.view();
    return this.wordView;
  }

  view() {
    this.byteView = new Uint8Array(this.exports.memory.buffer);
    this.wordView = new Int32Array(this.exports.memory.buffer);
  }

  capture(fd, iov, count, done) {
    let total = 0;
    for (let i = 0; i < count; i++) {
      const start = this.words[(iov >> 2) + 2 * i] >>> 0;
      const length = this.words[(iov >> 2) + 2 * i + 1] >>> 0;
      this.text[fd].push(this.bytes.slice(start, start + length));
      total += length;
    }
    this.words[done >> 2] = total;
    return 0;
  }

  /** Text written to a descriptor (1 or 2) since the last call. */
  takeText(fd) {
    if (this.text[fd].length === 0) return "";
    const text = this.decoder.decode(Buffer.concat(this.text[fd]));
    this.text[fd] = [];
    return text;
  }

  copyIn(data) {
    const address = this.exports.malloc(Math.max(1, data.length));
    this.bytes.set(data, address);
    return address;
  }

  /** Call a Python function by its reference; argument undefined, integer or string.
   * Returns its integer result (0 for None) and throws Error with the traceback if it raised. */
  call(ref, argument) {
    const count = argument === undefined ? 0 : 1;
    if (count) this.setArgument(argument);
    this.exports.proxy_c_to_js_call(ref, count, this.args, this.out);
    return this.result();
  }

  setArgument(argument) {
    const at = this.args >> 2;
    if (typeof argument === "number") {
      this.words[at] = JS_INTEGER;
      this.words[at + 1] = argument;
      return;
    }
    const data = Buffer.from(argument, "utf8");
    const address = this.copyIn(data);
    this.words[at] = JS_STRING;
    this.words[at + 1] = data.length;
    this.words[at + 2] = address;
  }

  /** Run source text in the namespace of __main__. */
  exec(source) {
    const data = Buffer.from(source, "utf8");
    const address = this.copyIn(Buffer.concat([data, Buffer.from([0])]));
    this.exports.mp_js_do_exec(address, data.length, this.out);
    this.exports.free(address);
    return this.result();
  }

  result() {
    const at = this.out >> 2;
    const words = this.words;
    if (words[at] === KIND_INT) return words[at + 1];
    if (words[at] !== KIND_EXCEPTION) return 0;
    const address = words[at + 2] >>> 0;
    const text = this.decoder.decode(this.bytes.subarray(address, address + words[at + 1]));
    this.exports.free(address);
    const error = new Error(text.slice(text.indexOf("\x04") + 1));
    error.name = "PythonError";
    throw error;
  }

  writeFile(name, data) {
    this.port.FS.writeFile(name, data);
  }

  mkdir(name) {
    this.port.FS.mkdir(name);
  }

  /** Remember the machine as it is: the pages of memory that hold anything, and the tables. */
  freeze() {
    this.image = new Map();
    for (let at = 0; at < this.bytes.length; at += PAGE) {
      const page = this.bytes.subarray(at, at + PAGE);
      if (!PAGE_OF_ZEROS.equals(page)) this.image.set(at, Buffer.from(page));
    }
    this.stack = this.exports.emscripten_stack_get_current();
    this.tables = {
      ref: globalThis.proxy_js_ref.slice(),
      next: globalThis.proxy_js_ref_next,
      refMap: new Map(globalThis.proxy_js_ref_map),
      existing: globalThis.proxy_js_existing.slice(),
    };
  }

  thaw() {
    for (let at = 0; at < this.bytes.length; at += PAGE) {
      const page = this.bytes.subarray(at, at + PAGE);
      const kept = this.image.get(at) ?? PAGE_OF_ZEROS;
      if (!kept.equals(page)) page.set(kept);
    }
    this.exports._emscripten_stack_restore(this.stack);
    globalThis.proxy_js_ref = this.tables.ref.slice();
    globalThis.proxy_js_ref_next = this.tables.next;
    globalThis.proxy_js_ref_map = new Map(this.tables.refMap);
    globalThis.proxy_js_existing = this.tables.existing.slice();
    globalThis.proxy_js_map = new Map();
    this.text = { 1: [], 2: [] };
  }
}

/** Names and contents of the Python files of a folder, in order of name. */
export function pythonFiles(folder) {
  const names = fs.readdirSync(folder).filter((name) => name.endsWith(".py"));
  return names.sort().map((name) => [name, fs.readFileSync(path.join(folder, name))]);
}
