import { rebound } from '../../content/write.ts';
import { refuse } from '../../errors.ts';
import type { JsonValue } from '../../json/value.ts';
import type { Draft } from '../../ledger/record.ts';
import type { Operation } from '../../protocol/proposal.ts';
import { commit } from '../commit/commit.ts';
import type { StepEnding } from '../commit/records.ts';
import type { RunEvent } from '../event.ts';
import type { OpenStep, Work } from '../open-step.ts';
import { hidden, stepPayload } from '../payload.ts';
import type { RunState } from '../state.ts';
import { stay, type Transition } from '../step.ts';
import { outputMissing } from '../validate/work.ts';
import { outputsOf, withdrawn } from './operation-result.ts';

/**
 * Ends a message after its last operation. Writes are committed if no operation failed; after a failure they are
 * withdrawn and become failed actions. A message without a successful operation has failed.
 */
export function finish(state: RunState, open: OpenStep, work: Work): Transition {
  const failure = work.done.find(({ refusal }) => refusal !== undefined)?.refusal;
  const settled = failure === undefined ? work : { ...work, done: work.done.map((done) => withdrawn(done, failure)) };
  const opened = { ...open, work: settled };
  const isLost = settled.done.some(({ refusal }, index) => refusal && work.params[index]?.critical !== false);
  if (isLost) return close(state, opened, failure === undefined ? {} : { refusal: failure });
  const outputs = outputsOf(settled);
  const missing = work.message.required_outputs.findIndex((name) => !Object.hasOwn(outputs, name));
  if (missing >= 0) return close(state, opened, outputMissing(work.message, missing, 'execute'));
  const value = resultOf(settled);
  if (failure !== undefined) {
    const isPartial = settled.done.some(({ refusal }) => refusal === undefined);
    return close(state, opened, { refusal: failure, ...(isPartial && { partial: value }) });
  }
  return commitWrites(state, opened, work, value);
}

/** The receipt of a call that may have had an effect is flushed to disk, however its message ended. */
export function close(state: RunState, open: OpenStep, ended: StepEnding): Transition {
  const attempted = open.work?.permits.slice(0, open.work.done.length) ?? [];
  const strict = attempted.some(({ charged }) => charged.capability.manifest.effect !== 'pure');
  return commit(state, open, { ...ended, strict });
}

/** The reply for a message: each operation with its result. */
function resultOf({ done }: Work): JsonValue {
  return { operations: done.map(({ told }) => told) };
}

/** Commits the writes. The old text is stored beside the log with the new text: a write can be taken back. */
function commitWrites(state: RunState, open: OpenStep, { staged }: Work, value: JsonValue): Transition {
  const content = [...staged.values()];
  const texts = content.map(({ before, after }) => {
    const role = (which: string) => `${which} ${after.file_path}`;
    return [stepPayload(open, role('before'), before.text), stepPayload(open, role('after'), after.text)] as const;
  });
  const symbols = content.map((each) => hidden(open, `symbols ${each.after.file_path}`, rebound(each)));
  const { step, step_id } = open;
  const drafts = content.map((each, index): Draft => {
    const [before, after] = texts[index] as (typeof texts)[number];
    const path = each.after.file_path;
    const moved = symbols[index]?.told ?? [];
    const body = { step, step_id, path, before: before.ref, after: after.ref, symbols: moved };
    return { kind: 'content', body };
  });
  const payloads = [...texts.flat(), ...symbols.flatMap(({ payload }) => payload ?? [])];
  const after = open.work && { work: { ...open.work, payloads: [...open.work.payloads, ...payloads] } };
  const written = { ...open, ...after, drafts: [...open.drafts, ...drafts] };
  return close(state, written, { value, ...(content.length > 0 ? { content, before: state } : {}) });
}

/** The file changed while the message ran. Compare-and-set refused all of its writes. */
export function outdated(state: RunState, event: Extract<RunEvent, { type: 'outdated' }>): Transition {
  const { at } = state;
  if (at.phase !== 'MEMORY_COMMITTING' || at.rollback === undefined) return stay(state);
  const { path } = event;
  const { state: before, open } = at.rollback;
  const expected = expectedOf(open.work, path);
  const { refusal } = refuse('content_changed', { path, expected }, { step: 'record' });
  const opened = { ...open, drafts: open.drafts.filter(({ kind }) => kind !== 'content') };
  const since = {
    phasesEntered: [],
    pendingNotes: state.pendingNotes,
    ...(state.stopping && { stopping: state.stopping }),
  };
  return commit({ ...before, ...since }, opened, { refusal });
}

/** The hash that the message itself named: the model is told no hash that it did not send. */
function expectedOf(work: Work | undefined, path: string): string {
  const isWrite = ({ type }: Operation, index: number) => type === 'WRITE' && work?.targets[index]?.file_path === path;
  return work?.params[work.message.ops.findIndex(isWrite)]?.expected_hash ?? '';
}
