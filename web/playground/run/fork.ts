import { effect } from '@preact/signals-core';
import { decodeUtf8, type LedgerRecord, parseExport, unsalted } from '../../../core/index.ts';
import type { Runtime } from '../../../workers/api.ts';
import { modelProposals, recordsIn, stepOf } from '../../records/steps.ts';
import { run as texts } from '../../texts/en/run.ts';
import { send } from '../../texts/en/send.ts';
import { textOf } from '../files/export-blob.ts';
import type { DraftUndo } from '../parts/draft-undo.ts';
import type { CurrentRun } from './current-run.ts';
import type { NextRun } from './next-run.ts';
import { beginRun, openScenarioOf, proposalsOf, type RunChoices, scenarioOf } from './run-start.ts';
import { isStrange, labelsIn, type RunSession } from './session.ts';

export interface ForkFacts {
  readonly runtime: Runtime;
  readonly choices: RunChoices;
  readonly current: CurrentRun;
  readonly next: Pick<NextRun, 'choose'>;
  readonly draft: Pick<DraftUndo, 'put'>;
}

type FindText = Parameters<typeof proposalsOf>[1];

/**
 * Starts a new run with the proposals of `own` up to this step, whose own proposal becomes the draft. A question of such a
 * proposal is put again: a person's answer, or edited call, belongs to the run that asked. The new run begins with the
 * labels that `own` began with. A run that came with a file or a backup, or began `untrusted`, is forked as a
 * file is: a stranger may have written its proposals.
 */
export async function forkRun(facts: ForkFacts, own: RunSession, step: number): Promise<void> {
  const { runtime, choices, current, next, draft } = facts;
  const origin = `${own.id.slice(0, 8)} before step ${step}`;
  const labels = labelsIn(own.records.peek());
  if (isStrange(own)) {
    const text = own.file === undefined ? await runtime.ledger.export(own.id) : await textOf(own.file.blob);
    return forkStrange(facts, text, step, origin);
  }
  const script = await proposalsOf(own.records.peek(), own.bytes);
  if (script === undefined) throw new Error(texts().proposalsMissing);
  const { shelf, scenario, setup } = choices;
  scenario.value = (await scenarioOf(shelf, own.records.peek())) ?? scenario.peek();
  next.choose('script');
  const begun = beginRun(runtime, {
    scenario: scenario.peek(),
    offer: shelf.offer(scenario.peek()),
    chosen: 'script',
    setup: setup.peek(),
    script,
    origin: `forked from ${origin}`,
    labels,
  });
  current.drive(begun.run, begun.proposer);
  const before = own.records.peek().filter((record) => (stepOf(record) ?? 0) < step);
  const { length: wanted } = modelProposals(before);
  for (let taken = 0; taken < wanted && begun.run.view.pending === undefined; taken += 1) await begun.run.step();
  draft.put(script[wanted] ?? '');
  if (begun.run.view.pending === undefined) next.choose('you');
}

/**
 * Starts a new run with the task of an export and its proposals before a step, whose own proposal becomes the draft.
 * The new run has the capabilities and the grants of this device, and no consent from the file. It begins `untrusted`,
 * and no proposal is made here: a stranger wrote the task and the proposals, and the person steps through them.
 */
export function forkFile(facts: ForkFacts, jsonl: string, step: number): Promise<void> {
  return forkStrange(facts, jsonl, step, `a file before step ${step}`);
}

async function forkStrange(
  { runtime, choices, current, next, draft }: ForkFacts,
  jsonl: string,
  step: number,
  origin: string,
): Promise<void> {
  const file = parseExport(jsonl);
  const records = recordsIn(file);
  const textOf: FindText = async (ref) => {
    const bytes = file.payloads.get(ref.sha256);
    return bytes && unsalted(ref, bytes);
  };
  const made = modelProposals(records);
  const before = made.filter(({ body }) => body.step < step);
  // the model's next one behind a call that a person edited
  const own = made.slice(before.length, before.length + 1);
  const script = await proposalsOf(before, textOf);
  if (script === undefined) throw new Error(await missingIn(before, textOf));
  const asked = records.find((record) => record.kind === 'task');
  const given = asked?.kind === 'task' ? await textOf(asked.body.text) : undefined;
  const task = given && decodeUtf8(given);
  const { shelf, scenario, setup } = choices;
  scenario.value = openScenarioOf(shelf, records, scenario.peek());
  next.choose('script');
  const begun = beginRun(runtime, {
    scenario: scenario.peek(),
    offer: shelf.offer(scenario.peek()),
    chosen: 'script',
    setup: { ...setup.peek(), ...(task !== undefined && { task }) },
    script,
    origin: `forked from ${origin}`,
    labels: [...labelsIn(records).filter((label) => label === 'private'), 'untrusted'],
  });
  current.drive(begun.run, begun.proposer);
  draft.put((await proposalsOf(own, textOf))?.[0] ?? '');
  // at the end of the script the person proposes
  const stop = effect(() => {
    const isOver = begun.proposer.next.value === undefined;
    if (isOver && current.session.peek()?.id === begun.run.id) next.choose('you');
  });
  void begun.run.result.then(stop, stop);
}

async function missingIn(proposals: readonly LedgerRecord[], textOf: FindText): Promise<string> {
  for (const record of proposals)
    if ((await proposalsOf([record], textOf)) === undefined) return send().fork.leftOut(stepOf(record) ?? 0);
  return '';
}
