import type { AuthorTerms, Rate } from '../capability/grant-terms.ts';
import { type Accepts, type Effect, joined, type Label } from '../capability/guard.ts';
import { HELD_READ } from '../capability/held-read.ts';
import { CONTENT_CAPABILITIES } from '../content/built-in.ts';
import { refuse } from '../errors.ts';
import { canonicalText } from '../json/canonical.ts';
import { isList, isObject, type JsonValue, pointerTo, tokensIn } from '../json/value.ts';
import { GRANT_LIMITS, HISTORY_LIMIT } from '../limits.ts';
import { CALLBACK, demand, OBJECT } from '../option.ts';
import { type Outcome, pass } from '../outcome.ts';
import { ownRuleOf } from '../schema/predicate.ts';
import { type FittedForm, formOf, type PlaceOptions } from './forms.ts';
import { DEFINITIONS, type KnownDefinition, type PastUse, USES } from './history.ts';

export interface ProposeOptions {
  readonly definitions: readonly KnownDefinition[];
  /** True for a text that no rule may quote. Arguments that the ledger keeps as secret are never quoted. */
  readonly isSecret?: (text: string) => boolean;
}

/** A place of the history. */
export interface PlaceInHistory {
  readonly run_id: string;
  readonly step: number;
}

/** What a rule rests on. */
export interface RuleEvidence {
  readonly calls: number;
  readonly runs: number;
  /** Times of the first and the last decision, ms since epoch. */
  readonly first: number;
  readonly last: number;
  /** The first and the last call, and one between. */
  readonly examples: readonly PlaceInHistory[];
  /** Questions that a person answered with yes. They widen nothing. */
  readonly yeses: number;
}

/**
 * Why a rule asks: the effect leaves something behind, it lets the model read what is held, its values were only seen after data of a stranger was read, a
 * person or the guard has refused a call that the rule covers, or a person wants it so.
 */
export type AskReason = 'effect' | 'reading' | 'untrusted' | 'refused' | 'person';

/** A proposed grant. It becomes one only when a person accepts it. */
export interface ProposedRule {
  readonly capability: string;
  readonly capability_hash: string;
  readonly effect: Effect;
  readonly terms: Pick<AuthorTerms, 'mode' | 'where' | 'uses' | 'rate' | 'accepts'>;
  readonly form: FittedForm;
  readonly asks?: AskReason;
  readonly evidence: RuleEvidence;
}

export interface GrantProposal {
  /** Sorted by the capability, permissions first. */
  readonly rules: readonly ProposedRule[];
  /** Definitions without a call: leave them out. */
  readonly unused: readonly string[];
  /** Calls of definitions that are not known now, by name and hash. */
  readonly others: readonly { readonly name: string; readonly hash: string; readonly calls: number }[];
  /** Calls whose arguments were erased, by name: no rule covers them. */
  readonly erased: readonly { readonly name: string; readonly calls: number }[];
}

/**
 * The narrowest grants under which no call that ran is refused, and no call that a person or the guard has refused is
 * permitted without a question. Values that were only seen after data of a stranger was read widen no permission. The
 * same history gives the same bytes, in any order of its runs. `history_large`.
 *
 * @see FemtoClaw 05 7: default deny
 */
export function proposeGrants(history: readonly PastUse[], options: ProposeOptions): Outcome<GrantProposal> {
  demand('history', history, USES);
  demand('options', options, OBJECT);
  demand('definitions', options.definitions, DEFINITIONS);
  if (options.isSecret !== undefined) demand('isSecret', options.isSecret, CALLBACK);
  const gathered = gather(history, options.definitions);
  if (!gathered.ok) return gathered;
  const { byHash, others, erased } = gathered.value;
  const definitions = [...options.definitions].sort((one, other) => compare(one.name, other.name));
  const rules = definitions.flatMap((each) => rulesFor(each, byHash.get(each.hash) ?? [], options));
  const unused = definitions.flatMap(({ name, hash }) =>
    byHash.get(hash)?.some(isRun) === true || BUILT_IN.has(hash) ? [] : [name],
  );
  return pass({ rules, unused, others, erased });
}

/** Nobody can leave these out. */
const BUILT_IN: ReadonlySet<string> = new Set([...CONTENT_CAPABILITIES, HELD_READ].map(({ hash }) => hash));

interface Gathered extends Pick<GrantProposal, 'others' | 'erased'> {
  readonly byHash: ReadonlyMap<string, readonly PastUse[]>;
}

function gather(history: Iterable<PastUse>, definitions: readonly KnownDefinition[]): Outcome<Gathered> {
  const known = new Set(definitions.map(({ hash }) => hash));
  const byHash = new Map<string, PastUse[]>();
  const others = new Map<string, { name: string; hash: string; calls: number }>();
  const erased = new Map<string, number>();
  const texts = new Map<string, JsonValue>();
  let used = 0;
  for (const use of history) {
    const { name, hash, args } = use;
    if (!known.has(hash)) {
      const other = others.get(`${name} ${hash}`) ?? { name, hash, calls: 0 };
      others.set(`${name} ${hash}`, { ...other, calls: other.calls + 1 });
      continue;
    }
    if (args === undefined && isRun(use)) erased.set(name, (erased.get(name) ?? 0) + 1);
    const of = byHash.get(hash) ?? [];
    byHash.set(hash, of);
    if (args === undefined) {
      of.push(use);
      continue;
    }
    const text = canonicalText(args);
    if (!texts.has(text)) used += text.length;
    if (used > HISTORY_LIMIT) return refuse('history_large', { limit: HISTORY_LIMIT, used });
    const shared = texts.get(text) ?? args;
    texts.set(text, shared);
    of.push({ ...use, args: shared });
  }
  for (const of of byHash.values()) of.sort(byPlace);
  return pass({
    byHash,
    others: [...others.values()].sort((a, b) => compare(`${a.name} ${a.hash}`, `${b.name} ${b.hash}`)),
    erased: [...erased].map(([name, calls]) => ({ name, calls })).sort((a, b) => compare(a.name, b.name)),
  });
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function byPlace(one: PastUse, other: PastUse): number {
  return (
    compare(one.run_id, other.run_id) ||
    one.step - other.step ||
    (one.ticket ?? 0) - (other.ticket ?? 0) ||
    one.now - other.now
  );
}

export const isRun = ({ end }: PastUse): boolean => end === 'ran';
export const isTainted = ({ labels }: PastUse): boolean => labels.includes('untrusted');

/** A person's no, or a question of the guard that nobody answered with yes. */
export function isRefused({ end, asked }: PastUse): boolean {
  return end === 'denied' || (end !== 'ran' && asked !== undefined);
}

/** A rule for what was seen before data of a stranger was read, and one that asks for what was only seen behind it. */
function rulesFor(
  definition: KnownDefinition,
  uses: readonly PastUse[],
  options: ProposeOptions,
): readonly ProposedRule[] {
  const ran = uses.filter((use) => isRun(use) && use.args !== undefined);
  const clean = ran.filter((use) => !isTainted(use));
  const first =
    clean.length === 0 ? [] : [ruleOf({ definition, ran, seen: clean, asks: asksFor(definition) }, options)];
  const isCovered = (use: PastUse) => first.some(({ covers }) => covers(use));
  const beyond = ran.filter((use) => !isCovered(use));
  const second = beyond.length === 0 ? [] : [ruleOf({ definition, ran, seen: beyond, asks: 'untrusted' }, options)];
  const refused = uses.filter(isRefused);
  return [...first, ...second].map(({ rule, reaches }) => {
    const isUnsafe = rule.terms.mode === 'allow' && refused.some(reaches);
    return isUnsafe ? { ...rule, asks: 'refused', terms: { ...rule.terms, mode: 'ask' } } : rule;
  });
}

export function asksFor({ effect, hash }: KnownDefinition): AskReason | undefined {
  if (hash === HELD_READ.hash) return 'reading';
  return effect === 'pure' || effect === 'read' ? undefined : 'effect';
}

export interface RuleParts {
  readonly definition: KnownDefinition;
  /** All calls that ran: those that the rule covers are counted, whatever was read before. */
  readonly ran: readonly PastUse[];
  /** The calls whose values make the rule. */
  readonly seen: readonly PastUse[];
  readonly asks: AskReason | undefined;
  readonly changes?: PlaceOptions['changes'];
}

export interface MadeRule {
  readonly rule: ProposedRule;
  /** True for a call that the rule accepts as it was proposed. */
  covers(use: PastUse): boolean;
  /** True for a call that it accepts, or may accept, with the values of its handles. */
  reaches(use: PastUse): boolean;
}

export function ruleOf(
  { definition, ran, seen, asks, changes }: RuleParts,
  given: Pick<ProposeOptions, 'isSecret'>,
): MadeRule {
  const { options, accepts: labels } = placesIn(seen, given);
  const form = formOf(valuesOf(seen), { ...options, ...(changes && { changes }) });
  const meets = ownRuleOf(form.schema);
  const accepts = (args: JsonValue | undefined) => args === undefined || meets === undefined || meets(args);
  const covers = ({ args }: PastUse) => accepts(args);
  const reaches = (use: PastUse) => covers(use) || (use.handles.length > 0 && accepts(use.resolved));
  const counted = ran.filter(reaches);
  const uses = mostInRun(counted, ({ length }) => length);
  const rate = rateOf(counted, uses);
  const { name, hash, effect } = definition;
  const terms = {
    mode: asks === undefined ? ('allow' as const) : ('ask' as const),
    ...(Object.keys(form.schema).length > 0 && { where: form.schema }),
    uses,
    ...(rate && { rate: [rate] }),
    ...(Object.keys(labels).length > 0 && { accepts: labels }),
  };
  const reason = asks === undefined ? {} : { asks };
  const rule = { capability: name, capability_hash: hash, effect, terms, form, ...reason, evidence: evidenceOf(seen) };
  return { rule, covers, reaches };
}

/** What the rule of these calls may tell, and the labels that it accepts at the places of handles. */
export function placesIn(
  seen: readonly PastUse[],
  { isSecret }: Pick<ProposeOptions, 'isSecret'>,
): { readonly options: PlaceOptions; readonly accepts: Accepts } {
  const { held, accepts } = handledIn(seen);
  const hidden = seen.some((use) => use.isSecret);
  const options = {
    held,
    ...(hidden ? { isSecret: () => true } : isSecret && { isSecret }),
    ...(hidden && { quotesNothing: true as const }),
  };
  return { options, accepts };
}

/** The different arguments of the calls. */
function valuesOf(uses: readonly PastUse[]): readonly JsonValue[] {
  return [...new Set(uses.flatMap(({ args }) => (args === undefined ? [] : [args])))];
}

function byRun(uses: readonly PastUse[]): readonly (readonly PastUse[])[] {
  const runs = new Map<string, PastUse[]>();
  for (const use of uses) {
    const of = runs.get(use.run_id) ?? [];
    of.push(use);
    runs.set(use.run_id, of);
  }
  return [...runs.values()];
}

function mostInRun(uses: readonly PastUse[], count: (run: readonly PastUse[]) => number): number {
  return byRun(uses).reduce((most, run) => Math.max(most, count(run)), 0);
}

const RATE_MS = 60_000;

/** The most calls in any 60 s of a run. Absent where it says no more than the uses of a run. */
function rateOf(uses: readonly PastUse[], most: number): Rate | undefined {
  const calls = mostInRun(uses, mostWithin);
  return calls < most && calls <= GRANT_LIMITS.rateCalls ? { calls, windowMs: RATE_MS } : undefined;
}

/** As a rate counts: a clock that was set back leaves later times in the window. */
function mostWithin(run: readonly PastUse[]): number {
  const sorted: number[] = [];
  let most = 0;
  for (const { now } of run) {
    sorted.splice(placeIn(sorted, now), 0, now);
    most = Math.max(most, sorted.length - placeIn(sorted, now - RATE_MS));
  }
  return most;
}

/** Number of times that are not later. */
function placeIn(sorted: readonly number[], time: number): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle] ?? 0) <= time) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The places that held a handle, and the labels of all that stood there, but where a pattern would cover other places. */
function handledIn(uses: readonly PastUse[]): { readonly held: readonly string[]; readonly accepts: Accepts } {
  const places = new Map<string, readonly Label[]>();
  const wider = new Set<string>();
  for (const { args = null, handles } of uses)
    for (const { pointer, labels } of handles) {
      const { pattern, isWider } = patternOf(args, pointer);
      places.set(pattern, joined(places.get(pattern) ?? [], labels));
      if (isWider) wider.add(pattern);
    }
  const sorted = [...places].sort(([one], [other]) => compare(one, other));
  return {
    held: sorted.map(([place]) => place),
    accepts: Object.fromEntries(sorted.filter(([place]) => !wider.has(place))),
  };
}

/** The pointer with `*` in the places of indices. The pattern of a member with this very name covers its siblings, too. */
function patternOf(args: JsonValue, pointer: string): { readonly pattern: string; readonly isWider: boolean } {
  let value: JsonValue | undefined = args;
  let pattern = '';
  let isWider = false;
  for (const name of tokensIn(pointer)) {
    const isIndex = value !== undefined && isList(value);
    if (name === '*' && !isIndex) isWider = true;
    pattern = pointerTo(pattern, isIndex ? '*' : name);
    if (value !== undefined && isList(value)) value = value[Number(name)];
    else value = value !== undefined && isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return { pattern, isWider };
}

function evidenceOf(uses: readonly PastUse[]): RuleEvidence {
  const times = uses.map(({ now }) => now);
  const places = [uses[0], uses[Math.floor(uses.length / 2)], uses.at(-1)].flatMap((use) => (use ? [use] : []));
  const examples = new Map(places.map(({ run_id, step }) => [`${run_id} ${step}`, { run_id, step }]));
  return {
    calls: uses.length,
    runs: byRun(uses).length,
    first: times.reduce((least, now) => Math.min(least, now), Number.POSITIVE_INFINITY),
    last: times.reduce((most, now) => Math.max(most, now), 0),
    examples: [...examples.values()],
    yeses: uses.filter(({ asked }) => asked !== undefined).length,
  };
}
