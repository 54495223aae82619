import { checkBudgets, NOTHING_SPENT, spend } from '../../content/budget.ts';
import { CONTENT_READ, CONTENT_WRITE } from '../../content/built-in.ts';
import { parseSlice } from '../../content/slice.ts';
import { toolOf } from '../../content/symbols.ts';
import { resolveSymbol, type Target } from '../../content/target.ts';
import { withLineFeeds } from '../../content/text.ts';
import { type DetailsOf, refuse } from '../../errors.ts';
import { utf8Length } from '../../json/utf8.ts';
import type { JsonObject } from '../../json/value.ts';
import { type Outcome, pass } from '../../outcome.ts';
import type { CatalyticMessage, Operation } from '../../protocol/proposal.ts';
import type { ResolvedSymbol } from '../event.ts';
import { NO_PROGRESS, type OpenStep, type Work } from '../open-step.ts';
import type { RunState } from '../state.ts';
import { type Params, readParams } from './params.ts';

/** Opens a message before any look-up: its budgets, its parameters, its outputs. */
export function openWork(state: RunState, message: CatalyticMessage): Outcome<Work> {
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
    declared: new Set<string>(),
    plans: [],
    permits: [],
    done: [],
    expanded: [],
    sinceWrite: [],
    progress: NO_PROGRESS,
    payloads: [],
    staged: new Map(),
    kept: [],
    labels: [],
  };
  return pass({ message, params: params.value, ...begun, spent: spent.value, nonce: '' });
}

export function outputMissing(
  { required_outputs }: CatalyticMessage,
  index: number,
  step: 'arguments' | 'execute',
): ReturnType<typeof refuse> {
  const place = { step, pointer: `/required_outputs/${index}` } as const;
  return refuse('output_missing', { name: required_outputs[index] ?? '' }, place);
}

/** Nonce of an operation's question. Each operation has its own, so that an answer counts for a single operation. */
export function nonceOf(message: string, index: number): string {
  return `${message}/${index}`;
}

/** Nonce of the message, from the nonce of its operation. */
export function messageNonce(operation: string): string {
  return operation.replace(/\/\d+$/, '');
}

/** The capability that a name under @TOOLS refers to. It needs no look-up. */
function capabilityOf({ facts }: RunState, symbol: string): string | undefined {
  const name = toolOf(symbol);
  return name !== undefined && facts.registry.capabilities.has(name) ? name : undefined;
}

/** Symbols of a message that refer to content, each once. */
export function contentSymbols(state: RunState, { refs }: CatalyticMessage): readonly string[] {
  return [...new Set(refs)].filter((symbol) => capabilityOf(state, symbol) === undefined);
}

/** The step with the labels of its message's look-ups: it tells whether its symbols exist, and of what kind they are. */
export function lookingUp(state: RunState, open: OpenStep, message: CatalyticMessage): OpenStep {
  const labels = contentSymbols(state, message).length === 0 ? [] : (CONTENT_READ.manifest.labels ?? []);
  return { ...open, labels };
}

/**
 * Resolves the targets. Every ref must resolve, even if no operation uses it: the message declares that it depends on
 * it, and its capabilities may expand it.
 */
export function targetsOf(
  state: RunState,
  { refs, ops }: CatalyticMessage,
  found: ReadonlyMap<string, ResolvedSymbol>,
): Outcome<Pick<Work, 'targets' | 'declared'>> {
  const targets = new Map<string, Target>();
  for (const [index, symbol] of refs.entries()) {
    if (capabilityOf(state, symbol) !== undefined) continue;
    const target = targetOf(symbol, found.get(symbol));
    const place = { step: 'capability', pointer: `/refs/${index}` } as const;
    if (!target.ok) return { ok: false, refusal: { ...target.refusal, ...place } };
    targets.set(symbol, target.value);
  }
  const sections = [...targets.values()].flatMap((target) => target.sections.map(({ section_id }) => section_id));
  return pass({ targets: ops.map(({ target }) => targets.get(target)), declared: new Set([...refs, ...sections]) });
}

function targetOf(symbol: string, found: ResolvedSymbol | undefined): Outcome<Target> {
  if (found === undefined) return refuse('symbol_unknown', { symbol });
  const { row, file } = found;
  return resolveSymbol(row, file && { ...file, text: '', content_hash: '' });
}

type NamedCall = { readonly name: string; readonly args: JsonObject };

/** The operation as a call: a capability and its arguments. */
export function callOf(state: RunState, work: Work, index: number): Outcome<NamedCall> {
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
