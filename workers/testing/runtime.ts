import type { RefusalClass, Step } from '../../core/errors/details.ts';
import type { Code } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json/value.ts';
import type { LedgerRecord } from '../../core/ledger/record.ts';
import { COUNT, OBJECT, type OptionTypes, optionsOf } from '../../core/option.ts';
import type { Dialect } from '../../core/protocol/dialect.ts';
import type { ModelPort, ModelRequest, Runtime, RuntimeOptions } from '../api.ts';
import { localAuditor } from '../auditor/auditor.ts';
import { fromScript, type ScriptItem } from '../bridges/models/script.ts';
import { RUNTIME_OPTIONS } from '../client/apply-options.ts';
import { openClient } from '../client/client.ts';
import { makeKernel } from '../kernel/kernel.ts';
import { nodePorts, openSandboxes } from '../node/platform.ts';
import { openMemoryStore } from '../store/memory/store.ts';

export interface TestOptions extends RuntimeOptions {
  /** Time of records and expiring grants; the real clock by default. */
  readonly clock?: FakeClock;
  /** Determines the values of the power `random`. */
  readonly seed?: number;
}

const TEST_OPTIONS: OptionTypes = { clock: OBJECT, seed: COUNT, ...RUNTIME_OPTIONS };

/**
 * The runtime of `sallyport/node`, in memory, with a repeatable clock and random numbers.
 *
 * @experimental
 */
export async function openTestRuntime(given: TestOptions = {}): Promise<Runtime> {
  const { clock, seed = 0, ...options } = optionsOf(given, TEST_OPTIONS);
  const time = { ...nodePorts, random: randomFrom(seed), ...(clock && { now: () => clock.now() }) };
  const ports = { store: openMemoryStore(), ...(await openSandboxes()), ...time };
  const kernel = makeKernel(ports, { isolation: 'node', probes: [], store: { kind: 'memory' } });
  return openClient(kernel, async () => localAuditor(openSandboxes), options);
}

/** A clock that stands still until a test advances it. */
export interface FakeClock {
  /** Integer ms since epoch. */
  now(): number;
  advance(ms: number): void;
}

/**
 * A clock in ms that a test moves.
 *
 * @experimental
 */
export function fakeClock(start = 0): FakeClock {
  let now = start;
  return {
    now: () => now,
    advance: (ms) => void (now += ms),
  };
}

/** Numbers in [0, 1), the same for the same seed: xorshift32, good enough to choose test cases. */
export function randomFrom(seed: number): () => number {
  // Zero would stay zero.
  let state = (seed ^ 0x9e3779b9) | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** A scripted model that keeps the request before each of its answers. */
export interface ScriptedModel extends ModelPort {
  readonly requests: readonly ModelRequest[];
}

/**
 * A model that sends the items in turn, and keeps the requests that it got.
 *
 * @experimental
 */
export function scripted(items: Iterable<ScriptItem>): ScriptedModel {
  const requests: ModelRequest[] = [];
  const script = fromScript(items);
  return {
    ...script,
    requests,
    propose(request, io) {
      requests.push(request);
      return script.propose(request, io);
    },
  };
}

/** Well-formed proposals of a dialect, for scripts. */
export interface Proposals {
  call(tool: string, args: JsonObject, goal?: string): object;
  /** Ends the run: FemtoClaw's message, XCT's `done`. */
  finish(message: string): object;
}

const FORMS: { readonly [D in Exclude<Dialect, 'catalytic'>]: Proposals } = {
  xct: {
    call: (tool, args, goal = `call ${tool}`) => ({ next_step: { tool, arguments: args, goal } }),
    finish: (message) => ({ done: true, message }),
  },
  femtoclaw: {
    call: (tool, args) => ({ tool_call: { tool, args } }),
    finish: (content) => ({ message: { content } }),
  },
};

/**
 * Proposals in the form of a dialect, as a model would write them.
 *
 * @experimental
 */
export function proposals(dialect: Exclude<Dialect, 'catalytic'> = 'xct'): Proposals {
  return FORMS[dialect];
}

/** A place in the pipeline where a proposal can be stopped. */
export type Gate = Step;

/**
 * Dialect, capabilities, grants and task of the test. A question for a person is answered with no unless `approve` is
 * given.
 */
export interface Situation extends TestOptions {
  readonly dialect?: Dialect;
}

export interface Rejection {
  readonly gate: Gate;
  readonly class: RefusalClass;
  readonly code: Code;
}

export interface Expected {
  /** Resolves when this gate stopped the proposal, with this code if it is given; rejects in every other case. */
  atGate(gate: Gate, code?: Code): Promise<Rejection>;
}

/**
 * Gives a proposal, as a model would, to a runtime of its own.
 *
 * @example await expectRejected('{"next_step": {}, "done": true}').atGate('structure', 'form_both');
 *
 * @experimental
 */
export function expectRejected(proposal: ScriptItem, situation: Situation = {}): Expected {
  return {
    async atGate(gate, code) {
      const found = await propose(proposal, situation);
      const met = found !== undefined && found.gate === gate && (code === undefined || found.code === code);
      if (met) return found;
      throw failure(found, code === undefined ? { gate } : { gate, code });
    },
  };
}

async function propose(proposal: ScriptItem, situation: Situation): Promise<Rejection | undefined> {
  const { dialect = 'xct', ...options } = situation;
  const approve = async () => ({ approved: false as const, reason: 'nobody was asked' });
  const runtime = await openTestRuntime({ approve, ...options });
  try {
    const run = runtime.start({ dialect, task: 'One proposal.', model: fromScript([proposal]), paused: true });
    await run.step();
    return reasonOf(await runtime.ledger.records(run.id));
  } finally {
    await runtime.close();
  }
}

/** Reason of the refusal. Every proposal ends in a single receipt, and a receipt without a reason is a success. */
function reasonOf(records: readonly LedgerRecord[]): Rejection | undefined {
  const receipt = records.find((record) => record.kind === 'receipt');
  const reason = receipt?.body.evidence.reason;
  return reason && { gate: reason.step ?? 'execute', class: reason.class, code: reason.code };
}

function failure(actual: Rejection | undefined, expected: Partial<Rejection>): Error {
  const wanted = `at gate ${expected.gate}${expected.code === undefined ? '' : ` with ${expected.code}`}`;
  const happened = actual === undefined ? 'it was accepted' : `it stopped at gate ${actual.gate} with ${actual.code}`;
  const error = new Error(`Expected the proposal to be rejected ${wanted}, but ${happened}.`);
  return Object.assign(error, { name: 'AssertionError', actual: actual ?? 'accepted', expected });
}
