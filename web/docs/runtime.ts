/**
 * The package as the examples of the documentation see it in a page, loaded with the first click on *Run*. Ledgers are
 * in memory, so an example leaves no data behind.
 */

import type { LedgerRecord } from '../../core/index.ts';
import type { Report, Runtime } from '../../workers/api.ts';
import { openRuntime as openInPage, type PageOptions } from '../client.ts';
import { type GateState, gatesOf, type StripGate } from '../records/gates.ts';

export * from '../index.ts';

type Example = (console: { readonly log: (...words: readonly unknown[]) => void }) => Promise<void>;

/** Runtimes that the example has open. */
const opened = new Set<Runtime>();
let steps: ShownStep[] = [];

/** `openRuntime` of a page, with a ledger in memory. The steps of its runs are read before it closes. */
export async function openRuntime(options: PageOptions = {}): Promise<Runtime> {
  const runtime = await openInPage({ ...options, store: 'memory' });
  const close = async () => {
    if (!opened.delete(runtime)) return;
    steps.push(...(await stepsOf(runtime)));
    await runtime.close();
  };
  opened.add(runtime);
  closings.set(runtime, close);
  return { ...runtime, close };
}
const closings = new WeakMap<Runtime, () => Promise<void>>();

/** `verifyExport` of Node, by the runtime of a page. */
export async function verifyExport(jsonl: string, options: Parameters<Runtime['ledger']['check']>[1]): Promise<Report> {
  const runtime = await openInPage({ store: 'memory' });
  try {
    return await runtime.ledger.check(jsonl, options);
  } finally {
    await runtime.close();
  }
}

/** Runs an example, shows its steps and lines in `place`, and says how it ended. One example runs at a time. */
export async function show(name: string, place: HTMLElement): Promise<string> {
  const before = running;
  const said = before.then(() => run(name, place));
  running = said.catch(() => undefined);
  return said;
}
let running: Promise<unknown> = Promise.resolve();

async function run(name: string, place: HTMLElement): Promise<string> {
  const address = new URL(`./${name}.js`, import.meta.url).href;
  const { default: example } = (await import(/* @vite-ignore */ address)) as { readonly default: Example };
  const lines: string[] = [];
  steps = [];
  const failure = await example({ log: (...words) => void lines.push(words.map(String).join(' ').trim()) }).then(
    () => '',
    (error: unknown) => `${String(error)} `,
  );
  for (const runtime of opened) await closings.get(runtime)?.();
  place.replaceChildren(...drawn(steps, lines));
  return `${failure}Steps: ${steps.length}. Lines printed: ${lines.length}.`;
}

/** The steps of all runs, in the order in which the runs began. */
async function stepsOf(runtime: Runtime): Promise<ShownStep[]> {
  const runs = await Promise.all((await runtime.runs()).map(({ run_id }) => runtime.ledger.records(run_id)));
  return runs
    .filter(([first]) => first !== undefined)
    .toSorted(([a], [b]) => (a?.at ?? 0) - (b?.at ?? 0))
    .flatMap((records) => byStep(records).map(shown));
}

/** The records of each step: those with its number. */
function byStep(records: readonly LedgerRecord[]): LedgerRecord[][] {
  const found = new Map<number, LedgerRecord[]>();
  for (const record of records) {
    const step = stepOf(record);
    if (step !== undefined) found.set(step, [...(found.get(step) ?? []), record]);
  }
  return [...found.values()];
}

function stepOf({ kind, body }: LedgerRecord): number | undefined {
  if (kind === 'receipt') return body.evidence.step;
  return 'step' in body && 'step_id' in body ? body.step : undefined;
}

function shown(records: readonly LedgerRecord[]): ShownStep {
  const last = records.at(-1);
  const code = last?.kind === 'receipt' ? last.body.evidence.reason?.code : undefined;
  return { gates: gatesOf(records), ...(code === undefined ? {} : { code }) };
}

/** A step as it is shown: its gates, and the code of its refusal. */
interface ShownStep {
  readonly gates: readonly StripGate[];
  readonly code?: string;
}

const GATES: { readonly [S in GateState]: readonly [mark: string, words: string] } = {
  passed: ['✓', 'passed'],
  stopped: ['✕', 'stopped here'],
  waiting: ['?', 'waits for a person'],
  running: ['…', 'under way'],
  skipped: ['–', 'not needed'],
  never: ['·', 'never reached'],
  ahead: ['·', 'ahead'],
};

/** The elements that show an example: the gates of each step, then the lines that it printed. */
function drawn(steps: readonly ShownStep[], lines: readonly string[]): HTMLElement[] {
  const printed = lines.length === 0 ? [] : [made('pre', 'printed', lines.join('\n'))];
  return [...steps.map(strip), ...printed];
}

function strip({ gates, code }: ShownStep, at: number): HTMLElement {
  const list = made('ol', 'gates');
  list.append(...gates.map(gate));
  const step = made('div', 'step');
  step.append(made('p', '', `Step ${at + 1}${code === undefined ? '' : `: ${code}`}`), list);
  return step;
}

function gate({ name, state }: StripGate): HTMLElement {
  const [sign, words] = GATES[state];
  const item = made('li', state);
  const mark = made('span', '', sign);
  mark.ariaHidden = 'true';
  item.append(mark, ` ${name}`, made('span', 'unseen', `: ${words}`));
  return item;
}

function made(tag: string, className: string, textContent = ''): HTMLElement {
  return Object.assign(document.createElement(tag), { className, textContent });
}
