import { decode, encodeText, isObject, type JsonObject, type JsonValue } from '../../core/index.ts';

/** Kind of a fact: a word, a number of the unit in its name, or yes and no. */
type FactKind = 'word' | 'number' | 'flag';

export type PartId =
  | 'start'
  | 'lock'
  | 'conformance'
  | 'storage'
  | 'files'
  | 'refused'
  | 'locks'
  | 'workers'
  | 'speed'
  | 'offline'
  | 'reload'
  | 'tab';

type PartTable = { readonly [P in PartId]: { readonly [fact: string]: FactKind } };

/** The parts of a test in their order, each with the facts that it may tell. */
export const PARTS: PartTable = {
  start: { store: 'word', mirror: 'word', signs: 'flag', sees: 'flag', startMs: 'number' },
  lock: { isolation: 'word' },
  conformance: { vectors: 'number', passed: 'number' },
  storage: { persisted: 'flag', usedBytes: 'number', quotaBytes: 'number' },
  files: {},
  refused: { error: 'word' },
  locks: {},
  workers: { endedMs: 'number', nextMs: 'number' },
  speed: { callMs: 'number', guestMs: 'number', hashMs: 'number' },
  offline: {},
  reload: {},
  tab: {},
};

export const PART_IDS: readonly PartId[] = Object.keys(PARTS) as PartId[];

/** Why a part was not tried, or has failed. */
export const REASONS = [
  'button',
  'canceled',
  'development',
  'error',
  'no_files',
  'no_locks',
  'no_limit',
  'no_page',
  'no_service_worker',
  'no_store',
  'not_started',
  'popup',
  'time',
  'unlocked',
] as const;
export type Reason = (typeof REASONS)[number];

export type PartOutcome = 'pass' | 'fail' | 'not_tried';
const OUTCOMES: readonly PartOutcome[] = ['pass', 'fail', 'not_tried'];

export type Facts = { readonly [fact: string]: string | number | boolean };

export interface PartResult {
  readonly outcome: PartOutcome;
  readonly ms: number;
  /** Absent for a part that has passed. */
  readonly reason?: Reason;
  /** Words of an error, in English. */
  readonly said?: string;
  readonly facts?: Facts;
}

/** What a device is: each word is that of the browser, or of the person who noted the result. */
export interface Device {
  readonly browser: string;
  readonly version: string;
  readonly system: string;
}

/** The result of a test on a device. */
export interface SelftestResult {
  readonly form: typeof FORM;
  /** Version of the product. */
  readonly product: string;
  /** Date and time in UTC, to the second. */
  readonly at: string;
  readonly device: Device;
  readonly parts: { readonly [P in PartId]?: PartResult };
}

export const FORM = 'sallyport-selftest/1' as const;

/** A link is shared by hand, and some programs cut a longer one off. A whole result takes about 2,000. */
const FRAGMENT_MAX = 8_000;
const WORD_MAX = 60;
const SAID_MAX = 300;

const PREFIX = '#result=';

/** The result as the fragment of a link. Words of errors are cut where it would be too long to be read. */
export function formatFragment(result: SelftestResult): string {
  for (let most = SAID_MAX; ; most >>= 1) {
    const fragment = PREFIX + base64Of(JSON.stringify(withSaid(result, most)));
    if (fragment.length <= FRAGMENT_MAX || most === 0) return fragment;
  }
}

function base64Of(text: string): string {
  const bytes = String.fromCharCode(...encodeText(text));
  return btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function withSaid(result: SelftestResult, most: number): SelftestResult {
  const parts = Object.entries(result.parts).map(([id, { said, ...part }]) => {
    return [id, { ...part, ...(said !== undefined && { said: cut(said, most) }) }];
  });
  return { ...result, parts: Object.fromEntries(parts) as SelftestResult['parts'] };
}

/**
 * Reads the result in a fragment, which comes from anyone: undefined for a fragment that is none, `refused` for one that
 * is too long, that has a member twice or unknown, or a value of another kind.
 */
export function parseFragment(fragment: string): SelftestResult | 'refused' | undefined {
  if (!fragment.startsWith(PREFIX)) return undefined;
  if (fragment.length > FRAGMENT_MAX || !/^[\w-]*$/.test(fragment.slice(PREFIX.length))) return 'refused';
  const bytes = bytesIn(fragment.slice(PREFIX.length));
  const value = bytes && decode(bytes, { depth: 4 });
  if (value?.ok !== true) return 'refused';
  return isResult(value.value) ? (value.value as unknown as SelftestResult) : 'refused';
}

function bytesIn(text: string): Uint8Array | undefined {
  try {
    const decoded = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    return Uint8Array.from(decoded, (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** A session that is open while the page is loaded anew. */
export interface BeforeReload {
  readonly run_id: string;
  readonly records: number;
  /** What the page showed. */
  readonly shown: SelftestResult;
}

/** Reads what a page kept over a reload. Any script of the origin may have written it: undefined for anything else. */
export function parseBefore(text: string): BeforeReload | undefined {
  const value = decode(encodeText(text), { depth: 5 });
  const isBefore = value.ok && has(value.value, { run_id: word, records: count, shown: isResult });
  return isBefore ? (value.value as unknown as BeforeReload) : undefined;
}

type Kinds = { readonly [member: string]: (value: JsonValue) => boolean };

/** True for an object with these members alone, each of its kind. */
function has(value: JsonValue | undefined, kinds: Kinds, needed: readonly string[] = Object.keys(kinds)): boolean {
  if (!isObject(value)) return false;
  const names = Object.keys(value);
  return (
    needed.every((name) => Object.hasOwn(value, name)) &&
    names.every(
      (name) => Object.hasOwn(kinds, name) && kinds[name]?.((value as JsonObject)[name] as JsonValue) === true,
    )
  );
}

const textOf =
  (most: number) =>
  (value: JsonValue): boolean =>
    typeof value === 'string' && value.length <= most;
const word = textOf(WORD_MAX);
const count = (value: JsonValue): boolean => typeof value === 'number' && value >= 0;
const KIND: { readonly [K in FactKind]: (value: JsonValue) => boolean } = {
  word,
  number: count,
  flag: (value) => typeof value === 'boolean',
};

/** True for a result of this form, whoever made it. */
export function isResult(value: JsonValue): boolean {
  return has(value, {
    form: (form) => form === FORM,
    product: word,
    at: (at) => typeof at === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(at) && !Number.isNaN(Date.parse(at)),
    device: (device) => has(device, { browser: word, version: word, system: word }),
    parts: (parts) =>
      has(parts, Object.fromEntries(PART_IDS.map((id) => [id, (part: JsonValue) => isPart(id, part)])), []),
  });
}

function isPart(id: PartId, value: JsonValue): boolean {
  const kinds: { readonly [fact: string]: FactKind } = PARTS[id];
  const facts = Object.fromEntries(Object.entries(kinds).map(([fact, kind]) => [fact, KIND[kind]]));
  const members: Kinds = {
    outcome: (outcome) => OUTCOMES.includes(outcome as PartOutcome),
    ms: count,
    reason: (reason) => REASONS.includes(reason as Reason),
    said: textOf(SAID_MAX),
    facts: (given) => has(given, facts, []),
  };
  return has(value, members, ['outcome', 'ms']);
}

/** Words of an error, cut to the length that a result has room for. */
export function saidBy(error: unknown): string {
  const { message, code } = Object(error) as { readonly message?: unknown; readonly code?: unknown };
  const text = typeof code === 'string' ? `${code}: ${String(message)}` : String(message ?? error);
  return cut(text, SAID_MAX);
}

/** Words of a browser, cut to the length that a result has room for. */
export function wordOf(text: string): string {
  return cut(text, WORD_MAX);
}

/** A cut may halve a surrogate pair. */
function cut(text: string, most: number): string {
  return text.slice(0, most).toWellFormed();
}
