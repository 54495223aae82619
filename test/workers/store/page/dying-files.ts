/**
 * Stands before the kernel in its worker, and lets the page die: behind so many writes of a step the private files take
 * nothing more. The worker's name is the number.
 */
type Write = (this: unknown, bytes: Uint8Array, options: { at: number }) => number;

const { prototype } = (globalThis as unknown as { FileSystemSyncAccessHandle: { prototype: { write: Write } } })
  .FileSystemSyncAccessHandle;
const { write } = prototype;
const text = new TextDecoder();
/** The message to the page. */
const DIED = 'died';
let left = Number(globalThis.name);

prototype.write = function (bytes, options) {
  const isOfStep = left >= 0 && text.decode(bytes).includes('"step_id":');
  if (isOfStep) left -= 1;
  if (left >= 0) return write.call(this, bytes, options);
  globalThis.postMessage(DIED);
  throw new Error(DIED);
};
