import { canonicalText } from '../json/canonical.ts';
import { isList, isObject, type JsonObject, type JsonValue, pointerTo, tokensIn } from '../json/value.ts';
import { demand, OBJECT } from '../option.ts';
import { comparisonOf, ownRuleOf } from '../schema/predicate.ts';
import { type FittedForm, type FormName, formsAt, hasSecret, type PlaceChange } from './forms.ts';
import { type KnownDefinition, type PastUse, USES } from './history.ts';
import {
  type AskReason,
  asksFor,
  isRefused,
  isRun,
  isTainted,
  type MadeRule,
  type ProposedRule,
  type ProposeOptions,
  placesIn,
  ruleOf,
} from './propose.ts';
import { policyOf, type TriedAs, type TriedUse, tryPolicy, type WrittenGrant } from './try.ts';

/** What a person changes of a proposed rule. */
export interface RuleChanges {
  readonly mode?: 'allow' | 'ask';
  /** By the pointer of the place. */
  readonly places?: { readonly [pointer: string]: PlaceChange };
}

/** A place of a rule with what a person may change there. */
export interface DraftPlace {
  readonly pointer: string;
  readonly form: FormName;
  readonly schema: JsonObject;
  /** The forms that cover the values, from the narrowest. */
  readonly forms: readonly { readonly form: FormName; readonly schema: JsonObject }[];
  /** Values that were seen here before data of a stranger was read; none where no value may be quoted. */
  readonly values: readonly JsonValue[];
  /** Values that were only seen after data of a stranger was read, or that a person has taken in of those. */
  readonly beyond: readonly JsonValue[];
}

/** A recorded call beside a rule. */
export interface RuleCall {
  readonly run_id: string;
  readonly step: number;
  readonly now: number;
  readonly end: PastUse['end'];
  /** Canonical text of the arguments, shortened; absent where they were erased or nothing may quote them. */
  readonly args?: string;
}

export interface RuleCalls {
  readonly count: number;
  /** The newest, at most `CALLS_SHOWN`. */
  readonly newest: readonly RuleCall[];
}

/** A proposed rule as a person has changed it, with what it rests on. */
export interface RuleDraft {
  readonly rule: ProposedRule;
  /** Why the rule cannot permit without a question; absent where a person may decide that. */
  readonly keeps?: Extract<AskReason, 'untrusted' | 'refused'>;
  /** Asks about the calls that ran after data of a stranger was read, and that the rule does not cover. */
  readonly beyond?: ProposedRule;
  readonly places: readonly DraftPlace[];
  readonly covers: RuleCalls;
  /** Calls that neither rule covers. */
  readonly refuses: RuleCalls;
}

/** Calls of a list that a person is shown. */
const CALLS_SHOWN = 100;
/** Values of a place that a person is shown. */
const VALUES_SHOWN = 100;
/** Characters of a value that a person may leave out or take in by itself. */
const VALUE_SHOWN = 2000;
const ARGS_SHOWN = 400;

export interface DraftOptions extends Pick<ProposeOptions, 'isSecret'> {
  readonly definition: KnownDefinition;
  readonly changes?: RuleChanges;
}

/**
 * The rule for a definition as a person has changed the proposal. Undefined where no call is left that it could rest on.
 * Values that were only seen after data of a stranger was read come in by `taken` alone, which takes no other values. A rule that covers a call
 * which a person or the guard has refused asks, whatever the changes say.
 */
export function draftRule(history: readonly PastUse[], given: DraftOptions): RuleDraft | undefined {
  demand('history', history, USES);
  demand('options', given, OBJECT);
  demand('definition', given.definition, OBJECT);
  const { definition } = given;
  const uses = history.filter(({ hash }) => hash === definition.hash);
  const ran = uses.filter((use) => isRun(use) && use.args !== undefined);
  const changes = ofSeen(given.changes, ran);
  const options = { ...given, changes };
  const clean = ran.filter((use) => !isTainted(use));
  const base = clean.length > 0 ? clean : ran;
  const isLeftOut = leftOutBy(changes.places);
  const seen = base.filter((use) => !isLeftOut(use));
  if (seen.length === 0) return undefined;
  const asks = clean.length > 0 ? asksFor(definition) : 'untrusted';
  const parts = { definition, ran, asks, ...(changes.places && { changes: changes.places }) };
  const made = ruleOf({ ...parts, seen }, options);
  const keeps = clean.length === 0 ? 'untrusted' : uses.filter(isRefused).some(made.reaches) ? 'refused' : undefined;
  const rule = decidedBy(made, keeps, changes.mode);
  const tainted = ran.filter((use) => isTainted(use) && !made.reaches(use) && !isLeftOut(use));
  const behind =
    clean.length === 0 || tainted.length === 0
      ? undefined
      : ruleOf({ ...parts, changes: {}, seen: tainted, asks: 'untrusted' }, options);
  const isCovered = (use: PastUse) => use.args !== undefined && made.reaches(use);
  const isRefusedNow = (use: PastUse) => use.args !== undefined && !isCovered(use) && behind?.reaches(use) !== true;
  return {
    rule,
    ...(keeps && { keeps }),
    ...(behind && { beyond: behind.rule }),
    places: placesOf(rule.form, { base, tainted: clean.length === 0 ? [] : ran.filter(isTainted), options }),
    covers: callsOf(uses.filter(isCovered), options),
    refuses: callsOf(uses.filter(isRefusedNow), options),
  };
}

function decidedBy({ rule }: MadeRule, keeps: RuleDraft['keeps'], mode = rule.terms.mode): ProposedRule {
  const { asks, ...others } = rule;
  if (keeps !== undefined || mode === 'ask')
    return { ...others, asks: keeps ?? asks ?? 'person', terms: { ...rule.terms, mode: 'ask' } };
  return { ...others, terms: { ...rule.terms, mode: 'allow' } };
}

/** The changes, which take in no value that was not seen at its place. */
function ofSeen({ places = {}, ...others }: RuleChanges = {}, ran: readonly PastUse[]): RuleChanges {
  const kept = Object.entries(places).map(([pointer, change]): [string, PlaceChange] => {
    const { taken = [] } = change;
    if (taken.length === 0) return [pointer, change];
    const values = ran.flatMap(({ args }) => (args === undefined ? [] : valuesAt(args, tokensIn(pointer))));
    const texts = new Set(values.map(canonicalText));
    return [pointer, { ...change, taken: taken.filter((value) => texts.has(canonicalText(value))) }];
  });
  return { ...others, ...(kept.length > 0 && { places: Object.fromEntries(kept) }) };
}

/** True for a call with a value that a person leaves out. */
function leftOutBy(places: RuleChanges['places'] = {}): (use: PastUse) => boolean {
  const left = Object.entries(places).flatMap(([pointer, { without = [] }]) =>
    without.length === 0 ? [] : [{ tokens: tokensIn(pointer), texts: new Set(without.map(canonicalText)) }],
  );
  return ({ args }) =>
    args !== undefined &&
    left.some(({ tokens, texts }) => valuesAt(args, tokens).some((value) => texts.has(canonicalText(value))));
}

/** The values at a place; `*` stands for all items of a list, and for all members of a map. */
function valuesAt(value: JsonValue, [name, ...below]: readonly string[]): readonly JsonValue[] {
  if (name === undefined) return [value];
  if (typeof value !== 'object' || value === null) return [];
  const isAll = name === '*' && !(isObject(value) && Object.hasOwn(value, name));
  const found = isAll ? Object.values(value) : isObject(value) && Object.hasOwn(value, name) ? [value[name]] : [];
  return found.flatMap((each) => valuesAt(each as JsonValue, below));
}

interface PlaceFacts {
  readonly base: readonly PastUse[];
  readonly tainted: readonly PastUse[];
  readonly options: DraftOptions;
}

/** The places of a rule that hold no others, and those that it lacks and calls after data of a stranger had. */
function placesOf(form: FittedForm, { base, tainted, options }: PlaceFacts): readonly DraftPlace[] {
  const { options: told } = placesIn(base, options);
  const quotes = told.quotesNothing !== true;
  const isShown = (value: JsonValue) =>
    quotes && !hasSecret(value, told.isSecret ?? (() => false)) && canonicalText(value).length <= VALUE_SHOWN;
  const changes = options.changes?.places ?? {};
  const beyond = new Map<string, JsonValue[]>();
  const add = (pointer: string, value: JsonValue): void => {
    const values = beyond.get(pointer) ?? [];
    values.push(value);
    beyond.set(pointer, values);
  };
  for (const [pointer, { taken = [] }] of Object.entries(changes)) for (const value of taken) add(pointer, value);
  for (const { args, isSecret } of tainted)
    if (args !== undefined && !isSecret) for (const [pointer, value] of outsideOf(form, args)) add(pointer, value);
  const leaves = leavesOf(form);
  const known = new Map(leaves.map((leaf) => [leaf.pointer, leaf]));
  const others = [...beyond.keys()].filter((pointer) => !known.has(pointer)).sort();
  return [...leaves, ...others].map((place) => {
    const pointer = typeof place === 'string' ? place : place.pointer;
    const values = base.flatMap(({ args }) => (args === undefined ? [] : valuesAt(args, tokensIn(pointer))));
    const left = new Set((changes[pointer]?.without ?? []).map(canonicalText));
    const covered = [...values.filter((value) => !left.has(canonicalText(value))), ...(changes[pointer]?.taken ?? [])];
    const forms = typeof place === 'string' || covered.length === 0 ? [] : formsAt(covered, pointer, told);
    const { form, schema } = typeof place === 'string' ? { form: 'any' as const, schema: {} } : place;
    return {
      pointer,
      form,
      schema,
      forms: forms.map((each) => ({ form: each.form, schema: each.schema })),
      values: distinct(values).filter(isShown).slice(0, VALUES_SHOWN),
      beyond: distinct(beyond.get(pointer) ?? [])
        .filter(isShown)
        .slice(0, VALUES_SHOWN),
    };
  });
}

function leavesOf(form: FittedForm): readonly FittedForm[] {
  const isWhole = form.below.length === 0 || form.form === 'either';
  return isWhole ? [form] : form.below.flatMap(leavesOf);
}

function distinct(values: readonly JsonValue[]): readonly JsonValue[] {
  const texts = new Map(values.map((value) => [canonicalText(value), value]));
  return [...texts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, value]) => value);
}

/** The parts of a value that a form refuses, each with its place. */
function* outsideOf(form: FittedForm, value: JsonValue): Generator<readonly [pointer: string, value: JsonValue]> {
  const { pointer, schema, below } = form;
  const meets = ownRuleOf(schema);
  if (meets === undefined || meets(value)) return;
  const { properties, maxItems, maxProperties } = schema;
  if (
    form.form === 'object' &&
    isObject(value) &&
    (properties !== undefined || Object.keys(value).length <= Number(maxProperties))
  )
    for (const [name, each] of Object.entries(value)) {
      const own =
        properties === undefined ? below[0] : below.find((place) => place.pointer === pointerTo(pointer, name));
      if (own === undefined) yield [pointerTo(pointer, name), each as JsonValue];
      else yield* outsideOf(own, each as JsonValue);
    }
  else if (form.form === 'list' && isList(value) && value.length <= Number(maxItems) && below[0] !== undefined)
    for (const each of value) yield* outsideOf(below[0], each);
  else yield [pointer, value];
}

function callsOf(uses: readonly PastUse[], options: DraftOptions): RuleCalls {
  const newest = [...uses].sort((one, other) => other.now - one.now).slice(0, CALLS_SHOWN);
  return { count: uses.length, newest: newest.map((use) => callOf(use, options)) };
}

function callOf(
  { run_id, step, now, end, args, isSecret: isHidden }: PastUse,
  { isSecret = () => false }: Pick<DraftOptions, 'isSecret'>,
): RuleCall {
  const isShown = args !== undefined && !isHidden && !hasSecret(args, isSecret);
  const text = isShown ? Array.from(canonicalText(args).slice(0, 2 * ARGS_SHOWN)) : [];
  const shown = text.length > ARGS_SHOWN ? `${text.slice(0, ARGS_SHOWN).join('')}…` : text.join('');
  return { run_id, step, now, end, ...(isShown && { args: shown }) };
}

/** The grants that a draft becomes when a person accepts it. */
export function grantsIn({ rule, beyond }: Pick<RuleDraft, 'rule' | 'beyond'>): readonly WrittenGrant[] {
  return [rule, ...(beyond === undefined ? [] : [beyond])].map(({ capability, terms }) => ({ capability, ...terms }));
}

/** What the grants of a draft would have done with the recorded calls of its definition. */
export interface TriedDraft {
  readonly counts: { readonly [A in TriedAs]: number };
  /** The newest calls that would not have gone as they went, at most `CALLS_SHOWN`. */
  readonly changed: readonly (RuleCall & { readonly as: TriedAs; readonly code?: TriedUse['code'] })[];
}

export interface TryDraftOptions extends Omit<DraftOptions, 'changes'> {
  /** Grants that stay beside the rule, for example denials. */
  readonly beside?: readonly WrittenGrant[];
  readonly guarded?: boolean;
}

export function tryDraft(
  history: readonly PastUse[],
  draft: Pick<RuleDraft, 'rule' | 'beyond'>,
  options: TryDraftOptions,
): TriedDraft {
  demand('history', history, USES);
  demand('options', options, OBJECT);
  const { definition, beside = [], guarded = true } = options;
  const own = grantsIn(draft);
  const made = new Set(own.flatMap(({ where }) => (where === undefined ? [] : [canonicalText(where)])));
  const predicates = new Map<JsonObject, ReturnType<typeof ownRuleOf>>();
  const predicateOf = (where: JsonObject): ReturnType<typeof ownRuleOf> => {
    if (!predicates.has(where))
      predicates.set(where, made.has(canonicalText(where)) ? ownRuleOf(where) : comparisonOf(where));
    return predicates.get(where);
  };
  const { counts, changed } = tryPolicy(
    history.filter(({ hash, name }) => hash === definition.hash || name === definition.name),
    {
      policy: policyOf([definition], [...own, ...beside], guarded),
      definitions: [definition],
      check: (where, args) => predicateOf(where)?.(args),
    },
  );
  const newest = [...changed].sort((one, other) => other.use.now - one.use.now).slice(0, CALLS_SHOWN);
  return {
    counts,
    changed: newest.map(({ use, as, code }) => ({ ...callOf(use, options), as, ...(code !== undefined && { code }) })),
  };
}
