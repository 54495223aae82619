import type { GuestError } from '../core/errors/details.ts';
import { allNamed, CALL_LIMIT_TABLE, CALL_LIMITS_MOST, type CallLimits } from '../core/limits.ts';
import { misuse } from '../core/sallyport-error.ts';
import type { Engine } from './engine.ts';
import { captureImage, type Image, preludeDigest } from './image.ts';
import { Instance, PAGE_BYTES } from './instance.ts';
import { readError } from './prelude.ts';
import { attempt, Realm, type RealmLimits } from './realm.ts';
import { type GivenImage, refuseUnless, restoreImage } from './stored-image.ts';

export interface Script {
  readonly name: string;
  readonly text: string;
}

/** Sources of a realm's image, in this order. */
export interface RealmSource {
  /**
   * Our own code. Its value is an object whose methods, named in `entries`, take at most a single argument and return a
   * string. An entry `explain(thrown)` returns `[name, message, stack]` as JSON.
   */
  readonly prelude: Script;
  readonly entries: readonly string[];
  /** Entries to call once the prelude stands, before any other code. */
  readonly setup?: readonly { readonly entry: string; readonly text: string }[];
  /** Global scripts. */
  readonly scripts?: readonly Script[];
  /** An ES module: `adopt` gets its namespace or a promise of it, then `adopted` says '' or why it is refused. */
  readonly module?: Script;
}

/** Loading runs a stranger's top-level code once; it gets at least this much, however tight a call's own fuel is. */
const LOAD_FUEL = 10_000_000;
const LOAD_DEADLINE_MS = 10_000;
/** A library may define itself in promise jobs, but not for ever. */
const LOAD_JOBS = 10_000;

/** Builds a realm. Throws a `SallyportError` when its source cannot be loaded. */
export function buildRealm(engine: Engine, source: RealmSource, limits: RealmLimits): Realm {
  checkLimits(engine, limits);
  // the deadline is that of a call; loading has its own
  const { fuel, memoryBytes, stackBytes, deadlineMs: _, ...others } = limits;
  allNamed(others);
  const instance = new Instance(engine, engine.pins.pagesMin, memoryBytes);
  instance.boot(stackBytes);
  instance.meter.arm(Math.max(fuel, LOAD_FUEL), LOAD_DEADLINE_MS);
  const fileName = fileOf(source);
  const step = (run: () => string | undefined) => loaded(instance, fileName, run);
  step(() => prelude(instance, source));
  step(() => setUp(instance, source));
  for (const script of source.scripts ?? [])
    step(() => (evaluate(instance, script, 'script') === undefined ? undefined : drained(instance)));
  if (source.module !== undefined) loadModule(instance, source.module, step);
  const { low, high } = engine.pins.stack;
  // below the deepest place the stack is zero already
  instance.bytes.fill(0, Math.max(low, instance.stackLow), high);
  const made = { wasmHash: engine.wasmHash, preludeHash: preludeDigest(source.prelude.text) };
  const image = captureImage(instance.bytes, instance.roots, made, [low, high], engine.shared);
  shareStatic(engine, image);
  return new Realm(engine, image, limits, fileName, { instance, fuel: instance.meter.fuel });
}

/** Makes a realm from its image, without running its source. Throws `image_refused`. */
export function adoptRealm(engine: Engine, source: RealmSource, limits: RealmLimits, given: GivenImage): Realm {
  const image = restoreImage(engine, source.prelude.text, given);
  shareStatic(engine, image);
  refuseUnless(image.memoryPages * PAGE_BYTES <= limits.memoryBytes, 'it is bigger than its limit');
  return new Realm(engine, image, limits, fileOf(source));
}

/** Later images share the static data of the first image. */
function shareStatic(engine: Engine, image: Image): void {
  engine.shared ??= image.runs.filter(({ at }) => at < engine.pins.stack.low);
}

/** File in which positions of errors are looked for. */
function fileOf({ prelude: own, scripts, module }: RealmSource): string {
  return (module ?? scripts?.at(-1) ?? own).name;
}

/**
 * Loads a source on the heap of a realm that has its prelude alone. Throws as `buildRealm` does, and keeps no image: the
 * heap is put back.
 */
export function tryLoad(realm: Realm, source: RealmSource & { readonly module: Script }, fuel: number): void {
  const instance = realm.take();
  instance.meter.resume(Math.max(fuel, LOAD_FUEL), realm.loadFuel, LOAD_DEADLINE_MS);
  const step = (run: () => string | undefined) => loaded(instance, source.module.name, run);
  try {
    step(() => setUp(instance, source));
    loadModule(instance, source.module, step);
  } finally {
    realm.give(instance);
  }
}

function prelude(instance: Instance, { prelude: script, entries }: RealmSource): string | undefined {
  const value = instance.evaluate(script.text, script.name, 'script');
  if (value === 0) return undefined;
  const pointers = entries.map((name) => [name, instance.member(value, name)] as const);
  instance.roots = { ...instance.roots, entries: Object.fromEntries(pointers) };
  return '';
}

function setUp(instance: Instance, { setup = [] }: RealmSource): string | undefined {
  const failed = setup.some(({ entry, text }) => instance.call(instance.entry(entry), instance.string(text)) === 0);
  return failed ? undefined : '';
}

function evaluate(instance: Instance, script: Script, kind: 'script' | 'module'): number | undefined {
  const value = instance.evaluate(script.text, script.name, kind);
  return value === 0 ? undefined : value;
}

function drained(instance: Instance): string {
  for (let jobs = 1; instance.runJob(); jobs++) {
    if (jobs > LOAD_JOBS) instance.meter.stop ??= 'jobs';
    if (instance.meter.stop !== undefined) return '';
  }
  return '';
}

function loadModule(instance: Instance, module: Script, step: (run: () => string | undefined) => string): void {
  step(() => {
    const namespace = evaluate(instance, module, 'module');
    if (namespace === undefined || instance.call(instance.entry('adopt'), namespace) === 0) return undefined;
    return drained(instance);
  });
  const said = step(() => {
    const value = instance.call(instance.entry('adopted'));
    return value === 0 ? undefined : instance.text(instance.utf8(value));
  });
  if (said === 'no_default') throw misuse('source_no_default', { name: module.name });
  if (said !== '') throw sourceFailed(readError(said, module.name));
}

function loaded(instance: Instance, fileName: string, run: () => string | undefined): string {
  const outcome = attempt(instance, fileName, run);
  if (outcome.ok) return outcome.value;
  if (outcome.kind !== 'threw') throw misuse('source_limit', { limit: outcome.kind });
  throw sourceFailed(outcome.error ?? { name: 'Error', message: 'unknown' });
}

function sourceFailed(error: GuestError): Error {
  return misuse(error.name === 'SyntaxError' ? 'source_syntax' : 'source_threw', { error });
}

export function checkLimits(engine: Engine, limits: RealmLimits): void {
  for (const [name, value] of Object.entries(limits)) {
    const most = CALL_LIMITS_MOST[name as keyof CallLimits];
    // the remaining limits may be 0
    const { observer } = CALL_LIMIT_TABLE[name as keyof CallLimits];
    const least = observer === 'meter' || observer === 'engine' ? 1 : 0;
    if (!Number.isSafeInteger(value) || value < least || value > most) throw misuse('limits_invalid', { limit: name });
  }
  if (limits.memoryBytes < engine.pins.pagesMin * PAGE_BYTES) throw misuse('limits_invalid', { limit: 'memoryBytes' });
}
