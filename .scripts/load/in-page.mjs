// Functions that a page gets as text: none uses a name from outside. `entry` is the address of the package's entry.

/** Restores the chosen file of the page's input into the ledger.
 * @param {{entry: string}} options */
export async function restoreBackup({ entry }) {
  const { openRuntime } = await import(entry);
  const input = /** @type {HTMLInputElement} */ (document.querySelector('#backup'));
  const runtime = await openRuntime();
  await runtime.storage.restore(input.files?.[0]);
  await runtime.close();
}

/** Resolves to the median ms until a runtime is open and has listed its runs. No round begins behind the budget.
 * @param {{entry: string, rounds: number, budgetMs: number}} options */
export async function openLedger({ entry, rounds, budgetMs }) {
  const { openRuntime } = await import(entry);
  /** @type {number[]} */
  const times = [];
  const start = performance.now();
  for (let round = 0; round < rounds && (round === 0 || performance.now() - start < budgetMs); round++) {
    const began = performance.now();
    const runtime = await openRuntime();
    await runtime.runs();
    times.push(performance.now() - began);
    await runtime.close();
  }
  return times.sort((a, b) => a - b)[times.length >> 1] ?? Number.NaN;
}

/** Adds files of about a kilobyte, from one number to another.
 * @param {{entry: string, from: number, to: number}} options */
export async function addFiles({ entry, from, to }) {
  const { openRuntime } = await import(entry);
  const words = 'the gate port ledger proof grant slice bread oven flour night lists and of to under receipt'.split(
    ' ',
  );
  const textOf = (/** @type {number} */ number) => {
    const line = (/** @type {number} */ at) =>
      Array.from({ length: 12 }, (_, nth) => words[(number * 7 + at * 5 + nth * (1 + (at % 3))) % words.length]).join(
        ' ',
      );
    const part = (/** @type {number} */ at) => `## Part ${at} of item${number}\n\n${line(at)}\n${line(at + 1)}\n`;
    return `# Document ${number}\n\n${Array.from({ length: 6 }, (_, at) => part(at)).join('\n')}`;
  };
  const runtime = await openRuntime();
  const files = Array.from({ length: to - from }, (_, nth) => ({
    path: `docs/${(from + nth) % 97}/${from + nth}.md`,
    bytes: new TextEncoder().encode(textOf(from + nth)),
  }));
  await runtime.content.add(files);
  await runtime.close();
}

/** Resolves to the ms of the first search of a page, and to the median of the searches behind it.
 * @param {{entry: string, files: number, rounds: number}} options */
export async function searchFiles({ entry, files, rounds }) {
  const { openRuntime } = await import(entry);
  const runtime = await openRuntime();
  const times = [];
  for (let round = 0; round <= rounds; round++) {
    const item = `item${Math.floor((round * files) / (rounds + 1))}`;
    const began = performance.now();
    const { sections } = await runtime.content.search(`${item} ledger`);
    times.push(performance.now() - began);
    if (sections.length === 0) throw new Error(`The search for ${item} found no section.`);
  }
  await runtime.close();
  const [first, ...others] = times;
  return [others.sort((a, b) => a - b)[rounds >> 1] ?? Number.NaN, first ?? Number.NaN];
}

/** Resolves to the median ms until a runtime with so many tools is open, and to the median ms of a step beside them.
 * @param {{entry: string, count: number, rounds: number, steps: number}} options */
export async function openTools({ entry, count, rounds, steps }) {
  const { defineTool, openRuntime } = await import(entry);
  const tools = Array.from({ length: count }, (_, nth) =>
    defineTool({
      name: `stock.count${nth}`,
      version: '1.0.0',
      description: `Counts the pieces of an item in store ${nth}.`,
      effect: 'read',
      labels: [],
      args: {
        type: 'object',
        required: ['item'],
        additionalProperties: false,
        properties: { item: { type: 'string', maxLength: 100 + nth } },
      },
      run: async (/** @type {{item: string}} */ { item }) => item.length,
    }),
  );
  const grants = tools.map(({ name }) => ({ capability: name, mode: 'allow' }));
  const middle = (/** @type {number[]} */ times) => times.sort((a, b) => a - b)[times.length >> 1] ?? Number.NaN;
  const opened = [];
  /** @type {number[]} */
  let stepped = [];
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    const runtime = await openRuntime({ tools, grants });
    opened.push(performance.now() - began);
    if (round === rounds - 1) stepped = await play(runtime);
    await runtime.close();
  }
  return [middle(opened), middle(stepped)];

  /** Resolves to the ms of each step of a run. @param {any} runtime */
  async function play(runtime) {
    /** @type {number[]} */
    const asked = [];
    const call = (/** @type {number} */ at) => ({
      next_step: { tool: `stock.count${at % count}`, arguments: { item: 'rye' }, goal: 'count' },
    });
    const propose = async () => {
      const at = asked.push(performance.now()) - 1;
      return { text: JSON.stringify(at < steps ? call(at) : { done: true, message: 'counted' }) };
    };
    const model = { id: 'script', locality: { kind: 'local' }, propose };
    const run = runtime.start({ dialect: 'xct', task: 'Count.', model, limits: { steps: steps + 1 } });
    const { state, message } = await run.result;
    if (state !== 'completed') throw new Error(`The run ended ${state}: ${message}`);
    return asked.slice(1).map((at, step) => at - (asked[step] ?? 0));
  }
}
