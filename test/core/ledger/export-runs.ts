import { contentHash, encodeText, formatExport, parseExport } from '../../../core/index.ts';
import type { GrantOption, ModelPort, Runtime, RuntimeOptions } from '../../../workers/api.ts';
import { localAuditor } from '../../../workers/auditor/auditor.ts';
import { openClient } from '../../../workers/client/client.ts';
import { makeKernel } from '../../../workers/kernel/kernel.ts';
import { nodePorts, openSandboxes } from '../../../workers/node/platform.ts';
import { defineCapability, definePower, fromScript } from '../../../workers/node.ts';
import { openMemoryStore } from '../../../workers/store/memory/store.ts';
import { forgeTexts } from './forge.ts';

/** A runtime that writes the same bytes each time: clock, ids and nonces are fixed. */
interface FixedRuntime {
  readonly runtime: Runtime;
  /** Runs a task to its end, and returns the id of the run. The model takes a second for each proposal. */
  run(
    dialect: 'xct' | 'catalytic',
    task: string,
    model: ModelPort,
    limits?: { proposalBytes?: number },
  ): Promise<string>;
}

const EXAMPLE = { version: '1.0.0', args: { type: 'object' } } as const;

/** The file that `contentRun` reads and writes. */
const TEXT = '# A\n\nSome words.\n';

/** First time of each runtime, in ms since epoch. */
const BEGIN = Date.UTC(2026, 0, 1, 12);

/** A call of `math.add` in XCT. */
export const ADD = nextStep('math.add', { a: 2, b: 3 });

/** A run that proposes these, then its end; a person who is asked says yes. */
export function additionOf(
  script: readonly (string | object)[],
  {
    mode = 'allow',
    limits = {},
  }: { readonly mode?: 'allow' | 'ask'; readonly limits?: { proposalBytes?: number } } = {},
): Promise<string> {
  const add = defineCapability({
    ...{ name: 'math.add', version: '1.0.0', description: 'Adds two numbers.', effect: 'pure' },
    args: { type: 'object', required: ['a', 'b'], properties: { a: { type: 'number' }, b: { type: 'number' } } },
    run: ({ a, b }) => a + b,
  });
  const model = fromScript([...script, { done: true, message: 'The sum is 5.' }]);
  return opened({ capabilities: [add], grants: [{ capability: 'math.add', mode }] }, async ({ runtime, run }) =>
    runtime.ledger.export(await run('xct', 'Add 2 and 3.', model, limits)),
  );
}

/** A run that reads a private text by a power of the page, and sends it to a model elsewhere with a person's consent. */
export function privateRun(): Promise<string> {
  const echo = defineCapability({
    ...EXAMPLE,
    name: 'echo',
    description: 'Echo.',
    effect: 'pure',
    run: (args) => args,
  });
  const read = {
    ...{ ...EXAMPLE, name: 'mail.read', description: 'Reads a mail.', powers: ['mail.fetch'] },
    effect: 'egress',
    source: 'export default (_, powers) => powers.mail.fetch({});',
  } as const;
  const mail = definePower({
    ...{
      ...EXAMPLE,
      name: 'mail.fetch',
      description: 'A mail.',
      args: {},
      result: {},
      effect: 'egress',
      labels: ['private'],
    },
    run: () => 'See you at noon.',
  });
  const script = [
    nextStep('echo', { text: 'plain words' }),
    nextStep('mail.read', {}),
    nextStep('echo', { text: 'Noon.' }),
  ];
  const model = fromScript([...script, { done: true, message: 'At noon.' }]);
  const elsewhere = { ...model, locality: { kind: 'remote', origin: 'https://models.example' } } as const;
  const grants: readonly GrantOption[] = [
    { capability: 'echo', mode: 'allow' },
    { capability: 'mail.read', mode: 'allow' },
    { power: 'mail.fetch', mode: 'allow' },
  ];
  return opened({ capabilities: [echo, read], powers: [mail], grants }, async ({ runtime, run }) =>
    runtime.ledger.export(await run('xct', 'Read the mail.', elsewhere)),
  );
}

/**
 * `messages`: a run that reads, calls with an output, and writes. `log`: the run of the log itself; the write is undone,
 * and the run erased, archived and deleted.
 */
export function contentRun(): Promise<{ readonly messages: string; readonly log: string }> {
  const count = defineCapability({
    ...{ ...EXAMPLE, name: 'words.count', description: 'Counts words.', effect: 'pure' },
    run: ({ text }) => String(text).split(' ').length,
  });
  const grants = ['content.read', 'content.write', 'words.count'].map((name) => ({
    capability: name,
    mode: 'allow' as const,
  }));
  const model = fromScript([
    message(
      [
        { type: 'READ', target: '@DOCS/A', params: {} },
        { type: 'EXECUTE', target: '@TOOLS/words.count', params: { args: { text: 'one two' }, output: 'count' } },
      ],
      ['count'],
    ),
    message([{ type: 'WRITE', target: '@DOCS/A', params: { content: '# B\n', expected_hash: contentHash(TEXT) } }]),
    message([]),
  ]);
  return opened({ capabilities: [count], grants, guard: false }, async ({ runtime, run }) => {
    await runtime.content.replace([{ path: 'a.md', bytes: encodeText(TEXT) }]);
    const symbol = {
      symbol_id: '@DOCS/A',
      target_type: 'FILE',
      target_ref: 'a.md',
      default_slice_policy: 'head(2)',
    } as const;
    await runtime.content.define(symbol);
    const id = await run('catalytic', 'Work.', model);
    const messages = await runtime.ledger.export(id);
    await runtime.content.undo(id, 2);
    await runtime.ledger.erase(id);
    await runtime.ledger.archive(id);
    await runtime.ledger.delete(id);
    return { messages, log: withFixedTimes(await runtime.ledger.export('system')) };
  });
}

/** The records of the log itself have the time of the machine. */
function withFixedTimes(text: string): string {
  const { run_id = '', records } = parseExport(text);
  const fixed = records.flatMap((line) => {
    if (line === undefined) return [];
    const { kind, body, epoch } = line.record;
    return [{ kind, body, epoch, at: BEGIN }];
  });
  return formatExport(run_id, forgeTexts(run_id, fixed), []);
}

function nextStep(tool: string, args: object): object {
  return { next_step: { tool, arguments: args, goal: 'try' } };
}

function message(
  ops: readonly { readonly type: string; readonly target: string; readonly params: object }[],
  required_outputs: readonly string[] = [],
): object {
  const refs = [...new Set(ops.map(({ target }) => target))];
  const budgets = { max_symbols: 10, max_sections: 5, max_bytes_expanded: 10_000, max_expands_per_step: 3 };
  return { intent: 'work', refs, ops, budgets, required_outputs };
}

async function opened<T>(options: RuntimeOptions, use: (fixed: FixedRuntime) => Promise<T>): Promise<T> {
  let [now, nonces, runs] = [BEGIN, 0, 0];
  const answered = async <A>(answer: A): Promise<A> => {
    now += 2_500;
    return answer;
  };
  const ports = {
    ...{ ...nodePorts, ...(await openSandboxes()), store: openMemoryStore() },
    now: () => now,
    nonce: () => (++nonces).toString(16).padStart(32, '0'),
  };
  const kernel = makeKernel(ports, { isolation: 'node', probes: [], store: { kind: 'memory' } });
  const runtime = await openClient(kernel, async () => localAuditor(openSandboxes), {
    ...options,
    approve: () => answered({ approved: true }),
    consent: () => answered(true),
  });
  try {
    return await use({
      runtime,
      async run(dialect, task, model, limits = {}) {
        const slow: ModelPort = {
          ...model,
          propose(...args) {
            now += 1_000;
            return model.propose(...args);
          },
        };
        const id = `5a117007-0000-4000-8000-${String(++runs).padStart(12, '0')}` as const;
        const run = withId(id as ReturnType<typeof crypto.randomUUID>, () =>
          runtime.start({ dialect, task, model: slow, limits }),
        );
        await run.result;
        return run.id;
      },
    });
  } finally {
    await runtime.close();
  }
}

/** Calls `start` while every random UUID is `id`: `start` draws the id of its run before it returns. */
function withId<T>(id: ReturnType<typeof crypto.randomUUID>, start: () => T): T {
  const { randomUUID } = crypto;
  crypto.randomUUID = () => id;
  try {
    return start();
  } finally {
    crypto.randomUUID = randomUUID;
  }
}
