import type { CapabilityDefinition } from '../../core/capability/define.ts';
import type { JsonValue } from '../../core/json/value.ts';
import { CALL_LIMITS } from '../../core/limits.ts';
import { CALLBACK, COUNT, LIST, OBJECT, type OptionTypes, optionsOf } from '../../core/option.ts';
import { openSandboxes } from '../node/platform.ts';
import { type CallOutcome, createSandbox, type GuestPower, type LoadedCapability } from '../sandbox/create.ts';
import { schemaCompiler } from '../sandbox/schemas.ts';
import { randomFrom } from './random.ts';
import { sample } from './sample.ts';

export interface FuzzOptions {
  /** Number of argument sets to try. */
  readonly calls?: number;
  /** The same seed tries the same arguments. */
  readonly seed?: number;
  /** Powers that the capability may call, as functions of the test. */
  readonly powers?: { readonly [name: string]: GuestPower };
  /** Names of errors by which the capability may refuse accepted arguments. */
  readonly mayThrow?: readonly string[];
  /** Further check of every result: throws where it fails. */
  readonly check?: (args: JsonValue, value: JsonValue) => void;
}

export interface FuzzReport {
  readonly calls: number;
  /** Calls whose arguments the schema refused: the capability never saw them. */
  readonly refused: number;
  readonly fuelMax: number;
}

const FUZZ: OptionTypes = { calls: COUNT, seed: COUNT, powers: OBJECT, mayThrow: LIST, check: CALLBACK };

/**
 * Calls a capability in the real sandbox with arguments near its schema: inside, at its edges, and outside of it.
 * Rejects with the first arguments that the schema accepts and for which the capability fails, ends in a limit, gives a
 * result that its own schema refuses, or gives another result the second time.
 */
export async function fuzzCapability(capability: CapabilityDefinition, given: FuzzOptions = {}): Promise<FuzzReport> {
  const options = optionsOf(given, FUZZ);
  const { calls = 100, seed = 0 } = options;
  const { sandbox: port, schemas } = await openSandboxes();
  const sandbox = createSandbox(port, schemaCompiler(schemas));
  try {
    const loaded = await sandbox.load({ ...capability, limits: { ...CALL_LIMITS, ...capability.limits } });
    const random = randomFrom(seed);
    const cases = Array.from({ length: calls }, () => sample(capability.args, random));
    return await callAll(loaded, cases, options);
  } finally {
    await sandbox.close();
  }
}

async function callAll(loaded: LoadedCapability, cases: readonly JsonValue[], options: FuzzOptions) {
  const given = options.powers === undefined ? {} : { powers: options.powers };
  let refused = 0;
  let fuelMax = 0;
  for (const args of cases) {
    const outcome = await loaded.call(args, given);
    if (!outcome.ok && outcome.kind === 'args') refused++;
    else judge(args, outcome, await loaded.call(args, given), options);
    fuelMax = Math.max(fuelMax, outcome.fuel);
  }
  if (refused < cases.length) return { calls: cases.length, refused, fuelMax };
  throw new Error(`None of ${cases.length} sets of arguments passed the schema: nothing was tested.`);
}

function judge(args: JsonValue, outcome: CallOutcome, again: CallOutcome, options: FuzzOptions): void {
  if (JSON.stringify(outcome) !== JSON.stringify(again))
    throw found('gives another result the second time', args, again);
  if (outcome.ok) return options.check?.(args, outcome.value);
  const permitted = outcome.kind === 'threw' && (options.mayThrow ?? []).includes(outcome.error?.name ?? '');
  if (!permitted) throw found(`ends as ${outcome.kind}`, args, outcome);
}

function found(what: string, args: JsonValue, actual: CallOutcome): Error {
  const said = !actual.ok && actual.error !== undefined ? ` (${actual.error.name}: ${actual.error.message})` : '';
  const error = new Error(`The capability ${what}${said} for ${JSON.stringify(args)}`);
  return Object.assign(error, { name: 'AssertionError', actual, args });
}
