// The calls an exception may pass through (setjmp/longjmp of the compiled machine), in WebAssembly.
//
// The port makes each such call through a JavaScript function with try and catch: a quarter of all
// time. The small module assembled here does the same without leaving WebAssembly: a longjmp is a
// throw of its tag, and what JavaScript throws (power off) passes. It calls through a table of its
// own, filled with the machine's functions once there is a machine.

const I32 = 0x7f;
const FUNCREF = 0x70;
const NOTHING = 0x40;
const [TRY, CATCH, THROW, END] = [0x06, 0x07, 0x08, 0x0b];
const [LOCAL_GET, LOCAL_SET, I32_CONST, CALL_INDIRECT] = [0x20, 0x21, 0x41, 0x11];
const [TYPE, FUNCTION, TABLE, CODE, EXPORT, TAG] = [1, 3, 4, 10, 7, 13];
// First slots of the table; the machine's functions follow.
const [SAVE, RESTORE, THREW, FIRST] = [0, 1, 2, 3];
const TABLE_SLOTS = 1 << 16;

function number(value) {
  const bytes = [];
  for (; value > 0x7f; value >>= 7) bytes.push((value & 0x7f) | 0x80);
  return [...bytes, value];
}

const vector = (items) => [...number(items.length), ...items.flat()];
const sized = (bytes) => [...number(bytes.length), ...bytes];
const section = (id, items) => [id, ...sized(vector(items))];
const text = (value) => sized([...Buffer.from(value)]);
const type = (parameters, result) => [
  0x60,
  ...vector(Array(parameters).fill(I32)),
  ...vector(Array(result).fill(I32)),
];
const indirect = (kind) => [CALL_INDIRECT, ...number(kind), 0];
const constant = (value) => [I32_CONST, value];

/** One function: save the stack, call table[first argument + FIRST], and catch a longjmp. */
function body(count, result, inner) {
  const stack = count + 1;
  const given = Array.from({ length: count }, (_, index) => [LOCAL_GET, index + 1]).flat();
  return sized([
    ...[1, 1, I32],
    ...[...constant(SAVE), ...indirect(0), LOCAL_SET, stack],
    ...[TRY, result ? I32 : NOTHING, ...given],
    ...[LOCAL_GET, 0, ...constant(FIRST), 0x6a, ...indirect(inner)],
    ...[CATCH, 0, LOCAL_GET, stack, ...constant(RESTORE), ...indirect(1)],
    ...[...constant(1), ...constant(0), ...constant(THREW), ...indirect(2)],
    ...(result ? constant(0) : []),
    ...[END, END],
  ]);
}

/** names: the imports wanted, invoke_<result><arguments> with v for none and i for a word.
 * Returns {functions by name, throwJump, connect(exports of the machine)}. */
export function invokes(names) {
  const shapes = names.map((name) => name.slice("invoke_".length));
  const types = [type(0, 1), type(1, 0), type(2, 0), type(0, 0)];
  const codes = [sized([0, THROW, 0, END])];
  const kinds = [number(3)];
  for (const shape of shapes) {
    const count = shape.length - 1;
    const result = shape[0] === "v" ? 0 : 1;
    types.push(type(count + 1, result), type(count, result));
    kinds.push(number(types.length - 2));
    codes.push(body(count, result, types.length - 1));
  }
  const exported = ["throw_jump", ...names].map((name, index) => [...text(name), 0, index]);
  const bytes = Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(TYPE, types),
    ...section(FUNCTION, kinds),
    ...section(TABLE, [[FUNCREF, 0, ...number(TABLE_SLOTS)]]),
    ...section(TAG, [[0, 3]]),
    ...section(EXPORT, [...exported, [...text("table"), 1, 0]]),
    ...section(CODE, codes),
  ]);
  const own = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports;
  const connect = (machine) => {
    own.table.set(SAVE, machine.emscripten_stack_get_current);
    own.table.set(RESTORE, machine._emscripten_stack_restore);
    own.table.set(THREW, machine.setThrew);
    const table = machine.__indirect_function_table;
    for (let i = 0; i < table.length; i++) own.table.set(FIRST + i, table.get(i));
  };
  return { functions: own, throwJump: own.throw_jump, connect };
}
