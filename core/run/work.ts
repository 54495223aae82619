import type { Charged } from '../capability/charge.ts';
import type { Validated } from '../capability/check.ts';
import type { Label } from '../capability/guard.ts';
import { checkBudgets, NOTHING_SPENT, type Spent, spend } from '../content/budget.ts';
import { CONTENT_READ, CONTENT_WRITE } from '../content/built-in.ts';
import { parseSlice } from '../content/slice.ts';
import type { StagedFiles } from '../content/staged.ts';
import { toolOf } from '../content/symbols.ts';
import { resolveSymbol, type Target } from '../content/target.ts';
import { withLineFeeds } from '../content/text.ts';
import { type DetailsOf, refuse } from '../errors.ts';
import { utf8Length } from '../json/utf8.ts';
import type { JsonObject } from '../json/value.ts';
import type { Action, Expansion } from '../ledger/receipt.ts';
import type { OperationEvidence } from '../ledger/record.ts';
import { type Outcome, pass, type Refusal } from '../outcome.ts';
import type { Message, Operation } from '../protocol/proposal.ts';
import type { KeptRow } from './effect.ts';
import type { Found } from './event.ts';
import { type Params, readParams } from './params.ts';
import type { OpenCall, Payload, RunState } from './state.ts';

/**
 * The operations of one message on their way: first each is resolved, bound and checked, then each is authorized, and
 * only then the first one runs. What stands here is what its receipt is made of, however far it comes.
 */
export interface Work {
  readonly message: Message;
  readonly params: readonly Params[];
  /** What each operation's target stood for when the message was judged; a capability is no target. */
  readonly targets: readonly (Target | undefined)[];
  readonly plans: readonly Plan[];
  readonly permits: readonly Permit[];
  readonly done: readonly Done[];
  readonly spent: Spent;
  readonly expanded: readonly Expansion[];
  /** Those of `expanded` behind the newest WRITE: the same slice again has the same content. */
  readonly sinceWrite: readonly Expansion[];
  /** What its receipt will name, and no record before that. */
  readonly payloads: readonly Payload[];
  /** Files that were written to, by path; nobody else sees them before the message has succeeded. */
  readonly staged: StagedFiles;
  /** What its successful calls have put, and what need not be kept any more: rows that are written with the receipt. */
  readonly kept: readonly KeptRow[];
  /** What the operations have shown. */
  readonly labels: readonly Label[];
  /** Of the proposal; every operation asks under one of its own, so that no answer counts twice. */
  readonly nonce: string;
}

/** An operation as the call that it is decided as. */
export interface Plan {
  readonly validated: Validated;
  readonly call: OpenCall;
}

export interface Permit {
  readonly charged: Charged;
  readonly call: OpenCall;
}

/** An operation that was attempted. */
export interface Done {
  readonly action: Action;
  readonly evidence: OperationEvidence;
  readonly refusal?: Refusal;
  /** What it yields: told to the model, and under its name an output. */
  readonly yields?: Payload;
  readonly told: JsonObject;
}

/** What can be said of a message before anything is looked up: its budgets, its parameters, its outputs. */
export function openWork(state: RunState, message: Message): Outcome<Work> {
  const budgets = checkBudgets(message.budgets, state.facts.budgets);
  if (!budgets.ok) return budgets;
  const spent = spend(NOTHING_SPENT, { symbols: message.refs }, message.budgets);
  if (!spent.ok) return { ok: false, refusal: { ...spent.refusal, step: 'form', pointer: '/refs' } };
  const params = readParams(message.ops);
  if (!params.ok) return params;
  const named = new Set(params.value.flatMap(({ output }) => output ?? []));
  const missing = message.required_outputs.findIndex((name) => !named.has(name));
  if (missing >= 0) return outputMissing(message, missing, 'arguments');
  const begun = {
    targets: [],
    plans: [],
    permits: [],
    done: [],
    expanded: [],
    sinceWrite: [],
    payloads: [],
    staged: new Map(),
    kept: [],
    labels: [],
  };
  return pass({ message, params: params.value, ...begun, spent: spent.value, nonce: '' });
}

export function outputMissing(
  { required_outputs }: Message,
  index: number,
  step: 'arguments' | 'execute',
): ReturnType<typeof refuse> {
  const place = { step, pointer: `/required_outputs/${index}` } as const;
  return refuse('output_missing', { name: required_outputs[index] ?? '' }, place);
}

/** Every operation asks under a nonce of its own, so that no answer counts twice. */
export function nonceOf(message: string, index: number): string {
  return `${message}/${index}`;
}

/** The nonce of the message that an operation asked in. */
export function messageNonce(operation: string): string {
  return operation.replace(/\/\d+$/, '');
}

/** A name under @TOOLS may be a capability, which needs no looking up. */
export function capabilityOf({ facts }: RunState, symbol: string): string | undefined {
  const name = toolOf(symbol);
  return name !== undefined && facts.registry.capabilities.has(name) ? name : undefined;
}

/** Every ref has to stand for something, also one that no operation uses: the message says that it depends on it. */
export function targetsOf(
  state: RunState,
  { refs, ops }: Message,
  found: ReadonlyMap<string, Found>,
): Outcome<Work['targets']> {
  const targets = new Map<string, Target>();
  for (const [index, symbol] of refs.entries()) {
    if (capabilityOf(state, symbol) !== undefined) continue;
    const target = targetOf(symbol, found.get(symbol));
    const place = { step: 'capability', pointer: `/refs/${index}` } as const;
    if (!target.ok) return { ok: false, refusal: { ...target.refusal, ...place } };
    targets.set(symbol, target.value);
  }
  return pass(ops.map(({ target }) => targets.get(target)));
}

function targetOf(symbol: string, found: Found | undefined): Outcome<Target> {
  if (found === undefined) return refuse('symbol_unknown', { symbol });
  const { row, file } = found;
  return resolveSymbol(row, file && { ...file, text: '', content_hash: '' });
}

type Named = { readonly name: string; readonly args: JsonObject };

/** What the operation asks for, as a capability and its arguments. */
export function callOf(state: RunState, work: Work, index: number): Outcome<Named> {
  const { type, target: symbol } = work.message.ops[index] as Operation;
  const params = work.params[index] as Params;
  const target = work.targets[index];
  const place = { step: 'capability', pointer: `/ops/${index}/target` } as const;
  const wrong = (details: Omit<DetailsOf['target_kind'], 'symbol'>) =>
    refuse('target_kind', { symbol, ...details }, place);
  const name = capabilityOf(state, symbol);
  if (type === 'EXECUTE') {
    if (name === undefined) return wrong({ got: 'content', expected: 'a capability' });
    if (name === CONTENT_READ.manifest.name || name === CONTENT_WRITE.manifest.name)
      return wrong({ got: 'an operation of its own', expected: 'a capability' });
    return pass({ name, args: params.args ?? {} });
  }
  if (target === undefined) return wrong({ got: 'a capability', expected: 'content' });
  const { file_path: path } = target;
  if (type === 'READ') {
    const slice = params.slice ?? target.default_slice_policy ?? '';
    const parsed = parseSlice(slice);
    const at = { step: 'arguments', pointer: `/ops/${index}/params/slice` } as const;
    if (!parsed.ok) return { ok: false, refusal: { ...parsed.refusal, ...at } };
    return pass({ name: CONTENT_READ.manifest.name, args: { target: symbol, path, slice } });
  }
  if (target.target_type === 'HEADING') return wrong({ got: 'a heading', expected: 'a section or a file' });
  const content = withLineFeeds(params.content ?? '');
  const args = { target: symbol, path, expected_hash: params.expected_hash ?? '', content, bytes: utf8Length(content) };
  return pass({ name: CONTENT_WRITE.manifest.name, args });
}
