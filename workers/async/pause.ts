type Then = () => void;

/**
 * Node's `setImmediate`. Other platforms post a message to themselves: nested timers wait longer after the first few.
 */
const { setImmediate: immediate } = globalThis as { readonly setImmediate?: (then: Then) => unknown };

const waiting: Then[] = [];
let channel: MessageChannel | undefined;

/** Lets other tasks of this thread run first. An `await` on a settled promise stays in the same task and does not. */
export function pause(): Promise<void> {
  return new Promise((resolve) => {
    if (immediate !== undefined) return void immediate(resolve);
    waiting.push(resolve);
    channel ??= opened();
    channel.port2.postMessage(undefined);
  });
}

function opened(): MessageChannel {
  const made = new MessageChannel();
  made.port1.onmessage = () => waiting.shift()?.();
  return made;
}

/** Work between two pauses, in bytes or UTF-16 units of text: some milliseconds of indexing or hashing. */
const STRETCH = 1 << 18;
/** Time between two pauses: on a busy machine the same work takes ten times as long. */
const STRETCH_MS = 8;

/** Takes the amount of work since the last call, and returns whether a pause is due. */
export function makePace(): (done: number) => boolean {
  let since = 0;
  let begun = performance.now();
  return (done) => {
    since += done;
    const now = performance.now();
    if (since < STRETCH && now - begun < STRETCH_MS) return false;
    [since, begun] = [0, now];
    return true;
  };
}
