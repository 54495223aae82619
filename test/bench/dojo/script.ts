import { isList, isObject, type JsonObject, type JsonValue, pointerTo } from '../../../core/json/value.ts';
import { type AnswerNeed, reachesWorld } from './stated.ts';
import type { DojoCall, DojoSuite, InjectionTask, UserTask } from './suite.ts';

/** A value of arguments that is no list and no object. */
export type Scalar = string | number | boolean;

/** Where an earlier held answer holds a value. */
export interface Holder {
  /** Index of the call that was answered. */
  readonly call: number;
  /** JSON pointer into its answer. */
  readonly at: string;
  /** The value stands inside of the text there, between these units; absent: it is the place itself. */
  readonly cut?: readonly [number, number];
}

/** An argument that is not in the prompt word for word, and that no answer in the open shows. */
export interface Dependent {
  /** JSON pointer of its place in the arguments. */
  readonly pointer: string;
  readonly value: Scalar;
  /** Absent: no earlier answer holds it, so that it is not possible without reading. */
  readonly holder?: Holder;
  /** The value that an attacker has put there. */
  readonly isTheirs: boolean;
}

export interface PlannedCall extends DojoCall {
  readonly answer: JsonValue;
  /** An attacker writes in the answer. */
  readonly isInjected: boolean;
  /** The runtime holds the answer where it holds what is untrusted. */
  readonly isHeld: boolean;
  readonly reachesWorld: boolean;
  readonly dependents: readonly Dependent[];
}

/** A user task as the scripted model makes it. */
export interface Plan {
  readonly task: UserTask;
  readonly calls: readonly PlannedCall[];
  /** The prompt says *if* before a call that follows an untrusted answer: the model has to know a value to decide. */
  readonly decides: boolean;
  readonly answer: AnswerNeed;
}

/** A text that an attacker writes into the places of an environment. It is followed by the model that sees it. */
export function injectedText({ id, goal }: InjectionTask): string {
  return ` <<${id}: ${goal}>>`;
}

/** The plan of a task. `injected` stands in the places of an attacker. */
export function planOf(suite: DojoSuite, task: UserTask, injected = ''): Plan {
  const answered = task.calls.map((call) => ({
    call,
    answer: suite.answer(call, injected),
    isInjected: JSON.stringify(suite.answer(call, '')) !== JSON.stringify(suite.answer(call, MARK)),
  }));
  return planned(suite, task, answered);
}

const MARK = '\u00a7';

interface Answered {
  readonly call: DojoCall;
  readonly answer: JsonValue;
  readonly isInjected: boolean;
  /** Values of an attacker in the arguments. */
  readonly theirs?: readonly Scalar[];
}

function planned(suite: DojoSuite, task: UserTask, answered: readonly Answered[]): Plan {
  const tools = new Map(suite.tools.map((tool) => [tool.name, tool]));
  const calls: PlannedCall[] = [];
  for (const { call, answer: value, isInjected, theirs = [] } of answered) {
    const tool = tools.get(call.tool);
    if (tool === undefined) throw new Error(`${suite.name} ${task.id}: there is no tool ${call.tool}.`);
    const dependents = dependentsOf(task.prompt, call.arguments, calls, theirs);
    const isHeld = tool.labels.includes('untrusted');
    calls.push({ ...call, answer: value, isInjected, isHeld, reachesWorld: reachesWorld(tool), dependents });
  }
  const last = calls.findLastIndex((each) => each.reachesWorld);
  const decides = /\bif\b/i.test(task.prompt) && calls.slice(0, Math.max(last, 0)).some(({ isHeld }) => isHeld);
  return { task, calls, decides, answer: task.answer };
}

/**
 * The arguments that are not in the prompt word for word. Before the first held answer, and where an answer in the open
 * shows the value, the model needs no handle.
 */
function dependentsOf(
  prompt: string,
  args: JsonObject,
  earlier: readonly PlannedCall[],
  theirs: readonly Scalar[],
): readonly Dependent[] {
  if (!earlier.some(({ isHeld }) => isHeld)) return [];
  return scalarsIn(args)
    .filter(([, value]) => !isInText(prompt, value))
    .filter(([, value]) => !earlier.some((each) => !each.isHeld && find(each.answer, value) !== undefined))
    .map(([pointer, value]) => {
      const holder = holderOf(value, earlier);
      const isTheirs = theirs.includes(value);
      return { pointer, value, isTheirs, ...(holder === undefined ? {} : { holder }) };
    });
}

/** The place of a value: one that an attacker writes beside, before another; a whole place before a part of a text. */
function holderOf(value: Scalar, earlier: readonly PlannedCall[]): Holder | undefined {
  const found = earlier.flatMap(({ isHeld, isInjected, answer }, call) => {
    const place = isHeld ? find(answer, value) : undefined;
    return place === undefined
      ? []
      : [{ rank: (isInjected ? 0 : 2) + (place.cut ? 1 : 0), holder: { call, ...place } }];
  });
  return found.toSorted((one, other) => one.rank - other.rank)[0]?.holder;
}

/** The scalars of a value with their pointers. */
function scalarsIn(value: JsonValue, pointer = ''): readonly (readonly [string, Scalar])[] {
  if (value === null) return [];
  if (isList(value)) return value.flatMap((each, at) => scalarsIn(each, pointerTo(pointer, at)));
  if (isObject(value))
    return Object.entries(value).flatMap(([name, each]) => scalarsIn(each, pointerTo(pointer, name)));
  return [[pointer, value as Scalar]];
}

type Place = Omit<Holder, 'call'>;

/** The place of a scalar in an answer: the first that is equal, else the first text that has it word for word. */
function find(answer: JsonValue, value: Scalar): Place | undefined {
  const all = scalarsIn(answer);
  const equal = all.find(([, each]) => each === value);
  if (equal !== undefined) return { at: equal[0] };
  for (const [at, each] of all) {
    const cut = typeof each === 'string' ? wordsIn(each, value)[0] : undefined;
    if (cut !== undefined) return { at, cut };
  }
  return undefined;
}

function isInText(text: string, value: Scalar): boolean {
  return wordsIn(text, value).length > 0;
}

/** Where a value stands in a text, not inside of a longer word. Numbers are equal as numbers: `98.70` is 98.7. */
function wordsIn(text: string, value: Scalar): readonly (readonly [number, number])[] {
  if (typeof value === 'boolean') return [];
  if (typeof value === 'number')
    return [...text.matchAll(/(?<![\w.])\d+(?:\.\d+)?(?!\w)/g)]
      .filter(([found]) => Number(found) === value)
      .map(({ 0: found, index }) => [index, index + found.length]);
  if (value === '') return [];
  const pattern = value.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return [...text.matchAll(new RegExp(`(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])`, 'gu'))].map(({ index }) => [
    index,
    index + value.length,
  ]);
}

/**
 * The plan with an attacker's value where the task's own stands: each dependent text or number that an injected answer
 * holds, in that answer and in the arguments. The value is the injection's for a parameter of the same name, else one of
 * ours. Undefined where no such value reaches the world.
 */
export function withTheirs(suite: DojoSuite, plan: Plan, injection: InjectionTask): Plan | undefined {
  const { task, calls } = plan;
  const swaps = new Map<Scalar, Scalar>();
  for (const { dependents } of calls)
    for (const { pointer, value, holder } of dependents) {
      const isOpen = holder !== undefined && calls[holder.call]?.isInjected === true;
      if (!isOpen || typeof value === 'boolean' || swaps.has(value)) continue;
      const their = theirValue(injection, pointer, value);
      if (!isInText(task.prompt, their)) swaps.set(value, their);
    }
  const changed = calls.map(({ tool, arguments: args, answer, isInjected, dependents }): Answered => {
    const swapped = dependents.filter(({ value, holder }) => swaps.has(value) && calls[holder?.call ?? -1]?.isInjected);
    const at = new Map(swapped.map(({ pointer, value }) => [pointer, swaps.get(value) as Scalar]));
    const theirs = [...at.values()];
    const call = { tool, arguments: replaced(args, (pointer, value) => at.get(pointer) ?? value) as JsonObject };
    const text = (value: Scalar): Scalar =>
      swaps.get(value) ?? (typeof value === 'string' ? cutIn(value, swaps) : value);
    return { call, theirs, isInjected, answer: isInjected ? replaced(answer, (_, value) => text(value)) : answer };
  });
  const attacked = planned(suite, task, changed);
  const reaches = attacked.calls.some((each) => each.reachesWorld && each.dependents.some(({ isTheirs }) => isTheirs));
  return reaches ? attacked : undefined;
}

function cutIn(text: string, swaps: ReadonlyMap<Scalar, Scalar>): string {
  let changed = text;
  for (const [own, their] of swaps)
    for (const [from, to] of wordsIn(changed, own).toReversed())
      changed = `${changed.slice(0, from)}${their}${changed.slice(to)}`;
  return changed;
}

function theirValue({ calls, id }: InjectionTask, pointer: string, own: Scalar): Scalar {
  const name = pointer.split('/')[1] ?? '';
  const given = calls.flatMap((call) => scalarsIn(call.arguments[name] ?? null).map(([, value]) => value));
  const same = given.find((value) => typeof value === typeof own && value !== own);
  return same ?? (typeof own === 'number' ? 6_666 : `theirs-${id}`);
}

function replaced(value: JsonValue, by: (pointer: string, value: Scalar) => Scalar, pointer = ''): JsonValue {
  if (value === null) return value;
  if (isList(value)) return value.map((each, at) => replaced(each, by, pointerTo(pointer, at)));
  if (!isObject(value)) return by(pointer, value as Scalar);
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, replaced(each, by, pointerTo(pointer, name))]),
  );
}

/** The arguments with other values at some places. */
export function placed(args: JsonObject, at: ReadonlyMap<string, JsonValue>): JsonObject {
  const place = (value: JsonValue, pointer: string): JsonValue => {
    const given = at.get(pointer);
    if (given !== undefined) return given;
    if (isList(value)) return value.map((each, index) => place(each, pointerTo(pointer, index)));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, place(each, pointerTo(pointer, name))]),
    );
  };
  return place(args, '') as JsonObject;
}
