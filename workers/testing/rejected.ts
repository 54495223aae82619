import type { RefusalClass, Step } from '../../core/errors/details.ts';
import type { Code } from '../../core/errors.ts';
import type { LedgerRecord } from '../../core/ledger/record.ts';
import type { Dialect } from '../../core/protocol/proposal.ts';
import { fromScript, type ScriptItem } from '../bridges/models/script.ts';
import { openTestRuntime, type TestOptions } from './runtime.ts';

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
