import { type ContentPower, EXPAND, SANDBOX_POWERS, SEARCH } from '../../../core/capability/built-in-power.ts';
import type { PowerCall } from '../../../core/capability/call.ts';
import type { Label } from '../../../core/capability/guard.ts';
import { spend } from '../../../core/content/budget.ts';
import { CONTENT_CAPABILITIES } from '../../../core/content/built-in.ts';
import { expand } from '../../../core/content/expand.ts';
import { locateStaged, type StagedFiles, sameAsBefore, targetAfter } from '../../../core/content/staged.ts';
import { refuse } from '../../../core/errors.ts';
import { decode } from '../../../core/json/decode-within.ts';
import { encodeText } from '../../../core/json/utf8.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import {
  LABEL_ROWS,
  labelPrefix,
  ownKey,
  type StoredValue,
  storedLabels,
  uncommittedChanges,
} from '../../../core/run/commit/storage.ts';
import type { ReadArguments, StoredRow } from '../../../core/run/event.ts';
import { type Allowance, allowance, givenTo, spentWith } from '../../../core/run/execute/expansions.ts';
import { executing } from '../../../core/run/step.ts';
import { refusalError } from '../../../core/sallyport-error.ts';
import { callPowers, type PowerSources } from '../../../sandbox/index.ts';
import { makeSerialQueue } from '../../async.ts';
import type { Ports } from '../../ports.ts';
import { PowerRefusal } from '../../sandbox/power-refusal.ts';
import type { RunContent } from '../content/run-content.ts';
import type { CallScope } from './call-scope.ts';
import type { GuestRequests } from './guest-requests.ts';

/** The powers that the runtime itself carries out for a call, and the ids of the sections that the call has read. */
export interface RuntimePowers {
  readonly powers: HostPowers;
  readonly touched: () => readonly string[];
}

export const NO_ANSWERS: EarlierAnswers = { calls: [], touched: [] };

export function runtimePowers(scope: CallScope, requests: GuestRequests, before: EarlierAnswers): RuntimePowers {
  const { state, ports } = scope.host;
  const { files, kept } = uncommittedChanges(state());
  const shows: CallScope['shows'] = (labels) => scope.shows(labels);
  const own = hostPowers(ports, {
    capability: scope.call.capability.manifest.name,
    isHeld: executing(state())?.open.held !== undefined,
    shows,
    kept,
    before: before.calls,
  });
  const content = withWritten(ports.content, files);
  const { power, touched } = expandingPower({
    before,
    content,
    run_id: state().facts.run_id,
    shows,
    permit: (ticket, args) => requests.read(EXPAND, ticket, args),
    allowance: () => allowance(state()),
  });
  const reading: { readonly [N in ContentPower]: HostPower } = {
    [EXPAND]: power,
    [SEARCH]: searchingPower({ content, shows, permit: (ticket) => requests.read(SEARCH, ticket) }),
  };
  return { powers: new Map([...own, ...Object.entries(reading)]), touched };
}

/** Content that the powers of a running call read. */
type ReadContent = Pick<RunContent, 'locate' | 'load' | 'search'>;

/** Content as the operations of a message see it: files that the message has written come before files of the store. */
function withWritten(content: ReadContent, files: StagedFiles): ReadContent {
  if (files.size === 0) return content;
  return {
    async locate(ref) {
      const written = locateStaged(files, ref);
      if (written !== undefined) return written;
      const target = await content.locate(ref);
      return target.ok ? targetAfter(files, target.value) : target;
    },
    async load(path) {
      const written = files.get(path);
      return written === undefined ? content.load(path) : { file: written.after, rows: written.rows };
    },
    search: (query, most) => content.search(query, most, files),
  };
}

/** The call that expands, and its permissions. */
interface ExpansionCall {
  readonly content: ReadContent;
  readonly run_id: string;
  readonly allowance: () => Allowance;
  /** Receives the content's labels before the lookup, because a refusal also reveals content. */
  readonly shows: (labels: readonly Label[]) => void;
  /** Says whether the call may read this content, by the run's grants for `content.read`. */
  readonly permit: (ticket: number, args: ReadArguments) => Promise<Outcome<void>>;
  readonly before: EarlierAnswers;
}

/** Answers that a call had before it was parked, and the ids of the sections that it had touched. */
interface EarlierAnswers {
  readonly calls: readonly PowerCall[];
  readonly touched: readonly string[];
}

/**
 * `sections.expand(ref, slice)` for a single call. Expansions run in turn: each is charged before the next begins, and
 * the guest never receives text over the allowance.
 */
function expandingPower({ content, run_id, allowance, shows, permit, before }: ExpansionCall): {
  readonly power: HostPower;
  readonly touched: () => readonly string[];
} {
  const given = givenTo(run_id, {}, before.calls);
  let spent = given.length > 0 ? spentWith(allowance().spent, given, before.touched) : undefined;
  const inTurn = makeSerialQueue();
  let expanded = given.map(({ expansion }) => expansion);

  async function give(ref: string, slice: string, ticket: number): Promise<Outcome<string>> {
    shows(CONTENT_CAPABILITIES[0]?.manifest.labels ?? []);
    const { budgets, left, spent: begun, expanded: earlier, declared } = allowance();
    if (declared?.has(ref) === false) return refuse('target_undeclared', { symbol: ref });
    const named = spend(spent ?? begun, ref.startsWith('@') ? { symbols: [ref] } : {}, budgets);
    if (!named.ok) return named;
    const target = await content.locate(ref);
    if (!target.ok) return target;
    const permitted = await permit(ticket, { target: ref, path: target.value.file_path, slice });
    if (!permitted.ok) return permitted;
    const { file } = await content.load(target.value.file_path);
    if (file === undefined) return refuse('content_missing', { path: target.value.file_path });
    const given = expand({ run_id, target: target.value, slice, text: file.text, spent: named.value, budgets });
    if (!given.ok) return given;
    const same = sameAsBefore(given.value.expansion, [...earlier, ...expanded], target.value.file_path);
    if (!same.ok) return same;
    const used = given.value.spent.bytes;
    if (used > left) return refuse('budget_run', { limit: left, used });
    spent = given.value.spent;
    expanded = [...expanded, given.value.expansion];
    return pass(given.value.text);
  }

  return {
    power: async (args, ticket) => {
      const [ref, slice] = expansionIn(args);
      const outcome = await inTurn(() => give(ref, slice, ticket));
      if (!outcome.ok) throw new PowerRefusal(outcome.refusal);
      return JSON.stringify(outcome.value);
    },
    touched: () => [...(spent?.sections ?? [])],
  };
}

function expansionIn(args: string): readonly [ref: string, slice: string] {
  const list = decode(encodeText(args));
  const [ref, slice, ...more] = list.ok && Array.isArray(list.value) ? (list.value as readonly unknown[]) : [];
  if (typeof ref !== 'string' || typeof slice !== 'string' || more.length > 0)
    throw new TypeError('sections.expand takes a symbol or section id, and a slice');
  return [ref, slice];
}

const MOST = 20;
const QUERY_UNITS = 1_000;

/** The call that searches. */
interface SearchCall {
  readonly content: ReadContent;
  readonly shows: (labels: readonly Label[]) => void;
  /** Says whether the call may search all content, by the run's grants for `content.read`. */
  readonly permit: (ticket: number) => Promise<Outcome<void>>;
}

/**
 * `sections.search(query, most)`: returns places to read, not their text. Headings are still a stranger's text, and
 * reveal the content's subject.
 */
function searchingPower({ content, shows, permit }: SearchCall): HostPower {
  return async (args, ticket) => {
    const [query, most] = queryIn(args);
    shows(['private', 'untrusted']);
    const permitted = await permit(ticket);
    if (!permitted.ok) throw new PowerRefusal(permitted.refusal);
    const found = await content.search(query, most);
    return JSON.stringify(found);
  };
}

function queryIn(args: string): readonly [query: string, most: number] {
  const list = decode(encodeText(args));
  const [query, most, ...more] = list.ok && Array.isArray(list.value) ? (list.value as readonly unknown[]) : [];
  if (typeof query !== 'string' || query.length > QUERY_UNITS || more.length > 0)
    throw new TypeError(`sections.search takes a query of at most ${QUERY_UNITS} characters, and how many to show`);
  if (typeof most !== 'number' || !Number.isInteger(most) || most < 1 || most > MOST)
    throw new TypeError(`sections.search shows 1 to ${MOST} sections`);
  return [query, most];
}

/**
 * A power that the runtime itself carries out, for a single call: JSON text of the list of arguments in, JSON text of
 * the result out. A rejection reaches the guest as an error of the same name and message.
 */
type HostPower = (args: string, ticket: number) => Promise<string>;

/** Powers by the name that the guest calls. Another name belongs to the page, or is refused. */
type HostPowers = ReadonlyMap<string, HostPower>;

/** The call that the powers serve. */
interface PowerCaller {
  readonly capability: string;
  /** The outcome of the call is held. */
  readonly isHeld?: boolean;
  /** Receives the labels of a power's result before the guest can receive the result. */
  readonly shows: (labels: readonly Label[]) => void;
  /** Uncommitted storage rows of the call's message, the newest last. */
  readonly kept: readonly StoredRow[];
  /** Answers that a parked call had received. */
  readonly before?: readonly PowerCall[];
}

/**
 * The powers of the runtime. They reach no data outside of the runtime, so the grant of the capability that declares
 * them covers them. The receipt holds each use with its answer, so that a replay can give the same answer.
 */
export function hostPowers(
  { now, random, store }: Pick<Ports, 'now' | 'random' | 'store'>,
  { capability, isHeld = false, shows, kept, before = [] }: PowerCaller,
): HostPowers {
  const prefix = ownKey(capability, '');
  const uncommitted = new Map(kept.filter(({ key }) => key.startsWith(prefix)).map(({ key, value }) => [key, value]));
  const sources: PowerSources = {
    clock: now,
    random,
    log: () => undefined,
    async get(key) {
      const row = await rowOf(ownKey(capability, key));
      shows([...(row?.labels ?? []), ...(await labelsNow())]);
      return row?.text;
    },
    async keys(most) {
      const keys = new Set((await rowsBehind(prefix, most + uncommitted.size)).map(([key]) => key));
      shows(await labelsNow());
      for (const [key, value] of uncommitted) {
        if (value === undefined) keys.delete(key);
        else keys.add(key);
      }
      return [...keys].slice(0, most).map((key) => key.slice(prefix.length));
    },
  };
  async function rowOf(key: string): Promise<StoredValue | undefined> {
    if (uncommitted.has(key)) return uncommitted.get(key) as StoredValue | undefined;
    const row = await store.get('kept', key);
    if (!row.ok) throw refusalError(row.refusal);
    return row.value as unknown as StoredValue | undefined;
  }
  async function rowsBehind(start: string, most: number): Promise<readonly (readonly [string, StoredValue])[]> {
    const rows = await store.all('kept', start, most);
    if (!rows.ok) throw refusalError(rows.refusal);
    return rows.value.flatMap(([key, value]) =>
      key.startsWith(start) ? [[key, value as unknown as StoredValue]] : [],
    );
  }
  /**
   * Refuses a store with values of held calls to a call whose outcome is read: the run has begun before they were put,
   * so that its first record does not say that the call holds. Whether it is refused depends on no value: the mark comes
   * with every held call that can put.
   */
  function refuseOpen(): void {
    if (!isHeld) throw new PowerRefusal(refuse('store_held', { name: capability }).refusal);
  }
  /** Labels now, read after the rows: labels only grow, so the rows had no further labels. */
  async function labelsNow(): Promise<readonly Label[]> {
    const start = labelPrefix(capability);
    const stored = await rowsBehind(start, LABEL_ROWS.length);
    if (stored.some(([key]) => key === `${start}held`)) refuseOpen();
    const staged = kept.flatMap(({ key, value }) => (key.startsWith(start) ? [value as StoredValue] : []));
    const isKept = stored.length === 0 && (await rowsBehind(prefix, 1)).length > 0;
    return [
      ...storedLabels(
        stored.map(([, value]) => value),
        isKept,
      ),
      ...staged.flatMap(({ labels }) => labels),
    ];
  }
  const { carryOut } = callPowers(sources, before);
  return new Map(SANDBOX_POWERS.map((name) => [name, async (args) => (await carryOut(name, args)) ?? 'null'] as const));
}
