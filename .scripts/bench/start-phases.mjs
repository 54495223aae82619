// Phases of a start of the playground, as the page sees them: its files, its workers, and its calls of the kernel.

/** A part of a start. Times are ms from the navigation.
 * @typedef {{what: string, from: number, to: number, count: number}} Phase */

/** Watches a start from inside the page; a script of the page that runs before every other. It changes no behaviour. */
export function watchStart() {
  /** @type {Map<string, Phase>} */
  const phases = new Map();
  Object.assign(globalThis, { startPhases: phases });
  /** @param {string} what @param {number} from @param {boolean} isNew */
  const end = (what, from, isNew = true) => {
    const to = performance.now();
    const known = phases.get(what);
    if (known === undefined) phases.set(what, { what, from, to, count: 1 });
    else if (isNew) Object.assign(known, { from: Math.min(known.from, from), to, count: known.count + 1 });
  };

  /** A worker's first message: the sandbox says that its script runs, the kernel answers `boot`. */
  globalThis.Worker = class extends Worker {
    /** @param {string | URL} url @param {WorkerOptions} [options] */
    constructor(url, options) {
      super(url, options);
      const from = performance.now();
      const what = `worker: ${options?.name ?? ''}`;
      this.addEventListener('message', () => end(what, from, false), { once: true });
    }
  };

  /** Calls without an answer, by port. @type {WeakMap<MessagePort, Map<string, {what: string, from: number}>>} */
  const asked = new WeakMap();
  /** @param {MessagePort} port */
  const askedAt = (port) => {
    const known = asked.get(port);
    if (known !== undefined) return known;
    /** @type {Map<string, {what: string, from: number}>} */
    const calls = new Map();
    asked.set(port, calls);
    port.addEventListener('message', ({ data }) => {
      const call = calls.get(data?.id);
      if (call !== undefined && calls.delete(data.id)) end(call.what, call.from);
    });
    return calls;
  };
  const { postMessage } = MessagePort.prototype;
  /** @param {any} message @param {any[]} rest @this {MessagePort} */
  MessagePort.prototype.postMessage = function (message, ...rest) {
    if (message?.type === 'APPLY')
      askedAt(this).set(message.id, { what: `kernel: ${message.path.join('.')}`, from: performance.now() });
    return Reflect.apply(postMessage, this, [message, ...rest]);
  };
}

/** The phases of a start that is over, in the order of their ends.
 * @param {import('playwright').Page} page
 * @returns {Promise<Phase[]>} */
export function phasesOf(page) {
  return page.evaluate(() => {
    const { startPhases } = /** @type {{startPhases?: Map<string, Phase>}} */ (/** @type {unknown} */ (globalThis));
    const files = performance.getEntries().flatMap((entry) => {
      if (!(entry instanceof PerformanceResourceTiming)) return [];
      const name =
        new URL(entry.name).pathname
          .split('/')
          .at(-1)
          ?.replace(/-[\w-]{8}(?=\.)/, '') || 'document';
      return { what: `file: ${name}`, from: entry.startTime, to: entry.responseEnd, count: 1 };
    });
    const [paint] = performance.getEntriesByName('first-contentful-paint');
    const painted = { what: 'first paint', from: 0, to: paint?.startTime ?? 0, count: 1 };
    return [...files, painted, ...(startPhases?.values() ?? [])].sort((one, other) => one.to - other.to);
  });
}

/** The median of each phase over several starts, as lines. A phase that not every start has is left out.
 * @param {readonly (readonly Phase[])[]} starts
 * @returns {string[]} */
export function phaseLines(starts) {
  const [first = []] = starts;
  const names = [...new Set(first.map(({ what }) => what))];
  const rows = names.flatMap((what) => {
    const same = starts.flatMap((phases) => phases.find((phase) => phase.what === what) ?? []);
    if (same.length < starts.length) return [];
    const [from, to] = [median(same.map((phase) => phase.from)), median(same.map((phase) => phase.to))];
    return { what, from, to, count: same[0]?.count ?? 1 };
  });
  return rows
    .sort((one, other) => one.to - other.to)
    .map(({ what, from, to, count }) => {
      const name = count > 1 ? `${what} × ${count}` : what;
      return `  ${name.padEnd(44)} ${ms(from)} → ${ms(to)}  took ${ms(to - from)}`;
    });
}

/** @param {readonly number[]} numbers */
export function median(numbers) {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;
}

/** @param {number} time */
export function ms(time) {
  return `${Math.round(time).toString().padStart(5)} ms`;
}
