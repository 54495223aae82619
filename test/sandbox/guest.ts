import type { CallSettled } from '../../core/capability/call.ts';
import type { JsonValue } from '../../core/json/value.ts';
import type { CallLimits } from '../../core/limits.ts';
import {
  type CallInput,
  type CapabilityRealm,
  createEngine,
  type Engine,
  heapHash,
  loadCapability,
  type PowerAnswer,
  type PowerRequest,
} from '../../sandbox/index.ts';
import { wasmBytes } from './wasm.ts';

let starting: Promise<Engine> | undefined;

/** The engine, compiled once per test file. */
export async function engine(): Promise<Engine> {
  starting ??= wasmBytes().then((wasm) => createEngine({ wasm }));
  return starting;
}

export interface GuestOptions {
  readonly powers?: readonly string[];
  readonly limits?: Partial<CallLimits>;
}

export async function load(source: string, options: GuestOptions = {}): Promise<CapabilityRealm> {
  return loadCapability(await engine(), { name: 'test', source, ...options });
}

/** A call without powers, to its end. */
export function call(loaded: CapabilityRealm, args: JsonValue = {}, input: Partial<CallInput> = {}): CallSettled {
  const step = loaded.prepare({ seed: 0, now: 0, ...input }).begin(JSON.stringify(args));
  if (!step.done) throw new Error('the call waits for a power');
  return step.settled;
}

/** Loads and calls once. */
export async function run(source: string, args: JsonValue = {}, options: GuestOptions = {}): Promise<CallSettled> {
  return call(await load(source, options), args);
}

/** The result of a call that has to succeed. */
export async function valueOf(source: string, args: JsonValue = {}, options: GuestOptions = {}): Promise<unknown> {
  const settled = await run(source, args, options);
  if (!settled.ok) throw new Error(`${settled.kind}: ${settled.error?.message}`);
  return JSON.parse(settled.text);
}

/** A call whose powers answer at once. */
export function callWith(
  loaded: CapabilityRealm,
  answer: (request: PowerRequest) => PowerAnswer,
  args: JsonValue = {},
): CallSettled {
  const guest = loaded.prepare({ seed: 0, now: 0 });
  const open: PowerRequest[] = [];
  let step = guest.begin(JSON.stringify(args));
  while (!step.done) {
    open.push(...step.requests);
    const next = open.shift();
    if (next === undefined) throw new Error('the call waits for nothing');
    step = guest.resume(next.ticket, answer(next));
  }
  return step.settled;
}

/** True when the next call starts from a heap that equals the image, byte for byte. */
export function isPristine(loaded: CapabilityRealm): boolean {
  const instance = loaded.realm.take();
  const hash = heapHash(instance.bytes);
  loaded.realm.give(instance);
  return hash === loaded.imageHash;
}

/**
 * Watches the instances that a capability's calls leave behind; returns a function that is true until an instance has
 * trapped.
 */
export function watchTraps(loaded: CapabilityRealm): () => boolean {
  const give = loaded.realm.give.bind(loaded.realm);
  let isSound = true;
  loaded.realm.give = (instance) => {
    if (instance.dead) isSound = false;
    give(instance);
  };
  return () => isSound;
}
