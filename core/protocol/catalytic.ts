import { BUDGETS, type Budgets } from '../content/budget.ts';
import { isSymbol } from '../content/target.ts';
import { type Code, type DetailsOf, refuse } from '../errors.ts';
import { isCount, isObject, type JsonObject, type JsonValue, member, pointerTo } from '../json/value.ts';
import { OPERATIONS_MAX } from '../limits.ts';
import { type Outcome, pass, type Refused } from '../outcome.ts';
import type { CatalyticMessage, Operation, Proposal } from './proposal.ts';
import { closed, kindOf, list, record, text } from './shape.ts';

const MEMBERS = ['intent', 'refs', 'ops', 'budgets', 'required_outputs'] as const;
const TYPES: readonly string[] = ['READ', 'WRITE', 'EXECUTE'];
const OUTPUT = /^[A-Za-z0-9._-]{1,64}$/;

/** True for a name that an operation's result can have in `outputs`. */
export function isOutputName(value: unknown): boolean {
  return typeof value === 'string' && OUTPUT.test(value);
}

/**
 * `{intent, refs, ops, budgets, required_outputs}`, closed at every level, without optional members. Symbols are
 * resolved later; here only their spelling is checked, and that every target was declared.
 *
 * @see Catalytic Chat Contract, Message
 */
export function parseCatalytic(value: JsonValue): Outcome<Proposal> {
  if (!isObject(value)) return refuse('not_object', { got: kindOf(value) }, { step: 'structure', pointer: '' });
  const top = closed(value, '', MEMBERS, 'structure');
  if (!top.ok) return top;
  const absent = MEMBERS.find((name) => member(value, name) === undefined);
  if (absent !== undefined) return refuse('missing_member', { name: absent }, { step: 'structure', pointer: '' });
  const intent = readIntent(value);
  if (!intent.ok) return intent;
  const refs = readRefs(value);
  if (!refs.ok) return refs;
  const ops = readOps(value, refs.value);
  if (!ops.ok) return ops;
  const budgets = readBudgets(member(value, 'budgets') as JsonValue);
  if (!budgets.ok) return budgets;
  const required_outputs = readOutputs(value);
  if (!required_outputs.ok) return required_outputs;
  const message: CatalyticMessage = {
    intent: intent.value,
    refs: refs.value,
    ops: ops.value,
    budgets: budgets.value,
    required_outputs: required_outputs.value,
  };
  return pass({ kind: 'work', message });
}

function at<C extends Code>(code: C, details: DetailsOf[C], pointer: string): Refused {
  return refuse(code, details, { step: 'form', pointer });
}

function readIntent(message: JsonObject): Outcome<string> {
  const intent = text(message, 'intent', '');
  return intent.ok && intent.value.trim() === '' ? at('intent_empty', {}, '/intent') : intent;
}

function readRefs(message: JsonObject): Outcome<readonly string[]> {
  const refs = list(message, 'refs', '');
  if (!refs.ok) return refs;
  for (const [index, ref] of refs.value.entries()) {
    const fault = symbolFault(ref, pointerTo('/refs', index));
    if (fault !== undefined) return fault;
  }
  return pass(refs.value as readonly string[]);
}

function readOps(message: JsonObject, refs: readonly string[]): Outcome<readonly Operation[]> {
  const ops = list(message, 'ops', '');
  if (!ops.ok) return ops;
  const used = ops.value.length;
  if (used > OPERATIONS_MAX) return at('limit_operations', { limit: OPERATIONS_MAX, used }, '/ops');
  const declared = new Set(refs);
  const read: Operation[] = [];
  for (const [index, op] of ops.value.entries()) {
    const operation = readOp(op, pointerTo('/ops', index), declared);
    if (!operation.ok) return operation;
    read.push(operation.value);
  }
  return pass(read);
}

function readOp(value: JsonValue, pointer: string, declared: ReadonlySet<string>): Outcome<Operation> {
  const op = closed(value, pointer, ['type', 'target', 'params']);
  if (!op.ok) return op;
  const type = text(op.value, 'type', pointer);
  if (!type.ok) return type;
  if (!TYPES.includes(type.value)) return at('operation_unknown', { type: type.value }, `${pointer}/type`);
  const target = text(op.value, 'target', pointer);
  if (!target.ok) return target;
  const fault = symbolFault(target.value, `${pointer}/target`);
  if (fault !== undefined) return fault;
  if (!declared.has(target.value)) return at('target_undeclared', { symbol: target.value }, `${pointer}/target`);
  const params = record(op.value, 'params', pointer);
  if (!params.ok) return params;
  return pass({ type: type.value as Operation['type'], target: target.value, params: params.value });
}

function readBudgets(value: JsonValue): Outcome<Budgets> {
  const names = Object.keys(BUDGETS);
  const budgets = closed(value, '/budgets', names);
  if (!budgets.ok) return budgets;
  for (const name of names) {
    const amount = member(budgets.value, name);
    if (amount === undefined) return at('missing_member', { name }, '/budgets');
    if (!isCount(amount)) {
      return at('wrong_type', { expected: 'an integer, 0 or more', got: kindOf(amount) }, pointerTo('/budgets', name));
    }
  }
  return pass(budgets.value as unknown as Budgets);
}

function readOutputs(message: JsonObject): Outcome<readonly string[]> {
  const outputs = list(message, 'required_outputs', '');
  if (!outputs.ok) return outputs;
  const seen = new Set<string>();
  for (const [index, output] of outputs.value.entries()) {
    const pointer = pointerTo('/required_outputs', index);
    if (typeof output !== 'string') return at('wrong_type', { expected: 'a string', got: kindOf(output) }, pointer);
    if (!isOutputName(output)) return at('output_name', { name: output }, pointer);
    if (seen.has(output)) return at('output_twice', { name: output }, pointer);
    seen.add(output);
  }
  return pass(outputs.value as readonly string[]);
}

function symbolFault(value: JsonValue, pointer: string): Refused | undefined {
  if (typeof value !== 'string') return at('wrong_type', { expected: 'a symbol', got: kindOf(value) }, pointer);
  return isSymbol(value) ? undefined : at('symbol_syntax', { symbol: value }, pointer);
}
