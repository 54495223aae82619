/**
 * Globals that a capability finds in its heap. Authority as a table: a global that is not listed is deleted before the
 * author's code runs, and a test compares these names with the globals of a real heap.
 */
export const GLOBALS: readonly string[] = [
  'globalThis undefined NaN Infinity console eval parseInt parseFloat isNaN isFinite escape unescape',
  'decodeURI decodeURIComponent encodeURI encodeURIComponent',
  'Object Function Array Iterator Boolean Number BigInt String Symbol Math Reflect Proxy Date RegExp JSON Promise',
  'Error AggregateError EvalError InternalError RangeError ReferenceError SyntaxError TypeError URIError',
  'Map Set WeakMap WeakSet ArrayBuffer DataView',
  'Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array',
  'BigInt64Array BigUint64Array Float16Array Float32Array Float64Array',
].flatMap((line) => line.split(' '));
