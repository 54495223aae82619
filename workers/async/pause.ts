type Then = () => void;

/** What Node has for it. Elsewhere it is a message to oneself: a timer would wait, and longer after a few. */
const { setImmediate: immediate } = globalThis as { readonly setImmediate?: (then: Then) => unknown };

const waiting: Then[] = [];
let channel: MessageChannel | undefined;

/** Lets whoever waits for this thread have it first. To await what is settled already does not: that is the same task. */
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
/** And however slowly it goes: on a machine that does much else the same work takes ten times as long. */
const STRETCH_MS = 8;

/** Told how much was done each time, answers whether a pause is due. */
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
