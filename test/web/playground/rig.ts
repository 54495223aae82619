import {
  type LedgerRecord,
  type PayloadRef,
  parseExport,
  type VerifyOptions,
  verifyExport,
} from '../../../core/index.ts';
import { CORPUS } from '../../../web/playground/demo/corpus.ts';
import { bakery } from '../../../web/playground/demo/scenario.ts';
import { openingRuntime } from '../../../web/playground/opening-runtime.ts';
import { openPlayground, type Playground } from '../../../web/playground/playground.ts';
import type { App } from '../../../web/playground/shell/app.ts';
import { recordsIn, stepOf } from '../../../web/records/steps.ts';
import '../../../web/playground/shell/app.ts';
import type { Run, RunEnd, RunRow, Runtime, RunView, StartOptions } from '../../../workers/api.ts';
import { makeRunUpdates, type RunUpdates } from '../../../workers/client/run-updates.ts';
import WHOLE from '../../vectors/exports/whole.jsonl?raw';

/** The run of every rig: a refused proposal, a call with its result, and an end. */
export const TEXT: string = WHOLE;
const FILE = parseExport(WHOLE);
export const RECORDS: readonly LedgerRecord[] = recordsIn(FILE);
const ID = RECORDS[0]?.run_id ?? '';

interface RigOptions {
  /** The runs of the device. */
  readonly runs?: readonly RunRow[];
  /** Called with each run whose records are read. */
  readonly onRead?: (run_id: string) => void;
}

interface Rig {
  readonly store: Playground;
  readonly app: App;
  /** Started runs, with the choices of the page. */
  readonly started: readonly StartOptions[];
  /** Each update of the open run, as the kernel sends it. */
  tell(view: Pick<RunView, 'mode' | 'phase' | 'steps'> & { end?: RunEnd }, records?: readonly LedgerRecord[]): void;
}

const pause = (ms: number): Promise<void> => new Promise((over) => setTimeout(over, ms));

const nothing = async (): Promise<readonly never[]> => [];

/** The playground over a runtime whose runs have the records of an export, a step for each `run.step()`. */
export async function openApp({ runs = [], onRead = () => undefined }: RigOptions = {}): Promise<Rig> {
  localStorage.clear();
  const started: StartOptions[] = [];
  let updates: RunUpdates;
  let told = 0;
  const tell: Rig['tell'] = (view, records = []) => {
    told += records.length;
    const whole = { run_id: ID, dialect: started.at(-1)?.dialect ?? 'xct', records: told, ...view };
    // As over a port: each update is a copy.
    updates.push(structuredClone({ view: whole as RunView, records }));
  };
  const start = (options: StartOptions): Run => {
    started.push(options);
    updates = makeRunUpdates(ID, 'xct', nothing);
    const own = updates;
    told = 0;
    let steps = 0;
    queueMicrotask(() => tell({ mode: 'paused', phase: 'IDLE', steps }, RECORDS.slice(0, 2)));
    const step = async (): Promise<void> => {
      steps += 1;
      const records = RECORDS.filter((record) => stepOf(record) === steps);
      if (steps < 3) return tell({ mode: 'paused', phase: 'IDLE', steps }, records);
      tell({ mode: 'done', phase: 'IDLE', steps, end: { state: 'completed' } } as never, [
        ...records,
        ...RECORDS.slice(-1),
      ]);
    };
    return {
      id: ID,
      get view() {
        return own.view();
      },
      get result() {
        return own.result();
      },
      watch: own.watch,
      records: () => own.records(),
      step,
      pause: async () => undefined,
      run: async () => {
        for (let next = steps; next < 3; next += 1) await step();
      },
    } as unknown as Run;
  };
  const runtime = {
    info: { isolation: 'locked', probes: [], store: { kind: 'memory' } },
    capabilities: { list: nothing, stored: nothing },
    grants: { list: nothing },
    content: { files: nothing, symbols: nothing },
    ledger: {
      payload: async (_: string, ref: PayloadRef) => FILE.payloads.get(ref.sha256)?.slice(ref.salt ?? 0),
      verify: async () => verifyExport(WHOLE),
      check: async (text: string, how?: VerifyOptions) => verifyExport(text, how),
      records: async (id: string) => (onRead(id), id === ID ? RECORDS : []),
      payloads: async () => ({ payloads: [...FILE.payloads].map(([sha256, bytes]) => ({ sha256, bytes })) }),
      erase: async () => ({ values: 0, otherTabs: 0 }),
      export: async () => WHOLE,
    },
    storage: { status: async () => ({ kind: 'memory', state: 'good', mirror: 'none', epoch: 1 }) },
    runs: async () => runs,
    start,
  } as unknown as Runtime;
  const opening = openingRuntime(async () => runtime);
  const scenario = { ...bakery('xct'), files: CORPUS, symbols: [] };
  const store = openPlayground(opening, [scenario, { ...bakery('femtoclaw'), files: CORPUS, symbols: [] }]);
  const app = document.createElement('sp-app') as App;
  app.store = store;
  document.body.append(app);
  await opening.opened;
  await pause(0);
  store.guide.value = undefined;
  store.startRun();
  await pause(30);
  return {
    store,
    app,
    started,
    tell: (...given) => tell(...given),
  };
}

/** Elements by a selector of which each word may lie in the shadow tree of the word before. */
export function all<E extends HTMLElement = HTMLElement>(selector: string, root: ParentNode = document): E[] {
  const words = selector.split(' ');
  return words.reduce<ParentNode[]>(
    (roots, word) => [...new Set(roots.flatMap((each) => deep(word, each)))],
    [root],
  ) as E[];
}

function deep(selector: string, root: ParentNode): Element[] {
  const inside = root instanceof Element && root.shadowRoot !== null ? [root.shadowRoot, root] : [root];
  return inside.flatMap((each) =>
    [...each.querySelectorAll('*')].flatMap((element) => [
      ...(element.matches(selector) ? [element] : []),
      ...(element.shadowRoot === null ? [] : deep(selector, element.shadowRoot)),
    ]),
  );
}

/** The first element; throws where there is none. */
export function one<E extends HTMLElement = HTMLElement>(selector: string): E {
  const [found] = all<E>(selector);
  if (found === undefined) throw new Error(`There is no ${selector}.`);
  return found;
}

/** The text of the elements, through every shadow root. */
export function text(selector: string): string {
  const read = (node: Node): string => {
    if (node instanceof Text) return node.data;
    if (node instanceof HTMLStyleElement) return '';
    const root = node instanceof Element && node.shadowRoot !== null ? node.shadowRoot : node;
    return [...root.childNodes].map(read).join('');
  };
  return all(selector).map(read).join('\n').replace(/\s+/gu, ' ');
}

/** The button with these words. */
export function button(words: string | RegExp, within = 'sp-app'): HTMLButtonElement {
  const fits = ({ textContent, ariaLabel }: Element): boolean =>
    [textContent, ariaLabel].some((each) =>
      typeof words === 'string' ? each?.trim() === words : words.test(each?.trim() ?? ''),
    );
  const found = all<HTMLButtonElement>(`${within} button`).find(fits);
  if (found === undefined) throw new Error(`There is no button ${words}.`);
  return found;
}

/** Types a text in place of what stands in a field. */
export function fill(selector: string, value: string): void {
  const field = one<HTMLInputElement>(selector);
  field.focus();
  field.value = value;
  field.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }));
}

/** A key at the element in focus, as a key of the page. */
export function press(key: string, at: EventTarget, more: KeyboardEventInit = {}): void {
  at.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, composed: true, cancelable: true, ...more }));
}
