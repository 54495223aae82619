/**
 * Opens a runtime as a program of a user does, with a schema of its own, and plays runs with it. A page gets this
 * function as text, so it uses no name from outside.
 * @param {string} entry address of the package's entry
 * @param {object} [place] options of the runtime that name the store
 * @param {'pure' | 'write'} [effect] of the calls
 */
export async function openPlayer(entry, place = {}, effect = 'pure') {
  const { openRuntime } = await import(entry);
  const number = { type: 'number' };
  const add = {
    name: 'math.add',
    version: '1.0.0',
    description: 'Adds two numbers.',
    effect,
    args: { type: 'object', required: ['a', 'b'], additionalProperties: false, properties: { a: number, b: number } },
    source: 'export default ({ a, b }) => ({ sum: a + b });',
  };
  const grants = [{ capability: add.name, mode: 'allow' }];
  const runtime = await openRuntime({ ...place, capabilities: [add], grants });
  /** @param {number} at */
  const proposal = (at) => JSON.stringify({ next_step: { tool: add.name, arguments: { a: at, b: 7 }, goal: 'Add.' } });
  /** @param {number} steps @param {(step: number) => Promise<void>} [before] awaited ahead of each proposal */
  const play = async (steps, before) => {
    /** @type {number[]} */
    const asked = [];
    /** @type {number[]} */
    const answered = [];
    const propose = async () => {
      const at = asked.push(performance.now()) - 1;
      await before?.(at);
      answered.push(performance.now());
      return { text: at < steps ? proposal(at) : '{"done":true,"message":"added"}' };
    };
    const model = { id: 'script', locality: { kind: 'local' }, propose };
    const start = performance.now();
    const run = runtime.start({ dialect: 'xct', task: 'Add.', model, limits: { steps: steps + 1 }, paused: true });
    await run.run();
    const { state, code, message } = await run.result;
    if (state !== 'completed') throw new Error(`the run ended ${state}: ${code} ${message}`);
    const ms = performance.now() - start;
    return { ms, steps: asked.slice(1).map((at, step) => at - (answered[step] ?? 0)) };
  };
  /** @param {number[]} times */
  const median = (times) => times.sort((one, other) => one - other)[times.length >> 1] ?? Number.NaN;
  return {
    /** Resolves to the ms of a run of so many steps, and of each step.
     * @param {number} steps @param {(step: number) => Promise<void>} [before] */
    play: (steps, before) => play(steps, before),
    /** Resolves to the ms of a step behind so many steps, and of a step about the hundredth of other runs, in turns.
     * @param {number} late */
    async playBeside(late) {
      const [turns, each, short] = [10, 20, 150];
      /** @type {number[]} */
      const early = [];
      const { steps } = await play(late + turns * each, async (step) => {
        if (step >= late && step % each === 0) early.push(median((await play(short)).steps.slice(short - 100)));
      });
      return early.slice(0, turns).map((time, turn) => ({
        late: median(steps.slice(late + turn * each, late + (turn + 1) * each)),
        early: time,
      }));
    },
    /** Closes the runtime. @returns {Promise<void>} */
    close: () => runtime.close(),
  };
}

/**
 * The µs of a message to a bare worker of a page and back, with a text as long as a proposal. Sent to a page as text.
 * @returns {Promise<number>}
 */
export async function pageRoundTrip() {
  const address = URL.createObjectURL(new Blob(['onmessage = ({ data }) => postMessage(data)']));
  const worker = new Worker(address);
  const [rounds, text] = [500, 'x'.repeat(100)];
  const start = performance.now();
  for (let round = 0; round < rounds; round++) {
    await new Promise((resolve) => {
      worker.onmessage = resolve;
      worker.postMessage({ round, text });
    });
  }
  const us = ((performance.now() - start) * 1000) / rounds;
  worker.terminate();
  URL.revokeObjectURL(address);
  return us;
}
