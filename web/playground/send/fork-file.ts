import { effect } from '@preact/signals-core';
import { decodeUtf8, type LedgerRecord, parseExport, unsalted } from '../../../core/index.ts';
import { send } from '../../texts/en/send.ts';
import type { ForkFacts } from '../run/fork.ts';
import { beginRun, openScenarioOf, proposalsOf } from '../run/run-start.ts';
import { recordsIn, stepOf } from './run-link.ts';

type FindText = Parameters<typeof proposalsOf>[1];

/**
 * Starts a new run with the task of an export and its proposals before a step, whose own proposal becomes the draft.
 * The new run has the capabilities and the grants of this device, and no consent from the file. No proposal is made here: a
 * stranger wrote them, and the person steps through them.
 */
export async function forkFile(
  { runtime, choices, current, next, draft }: ForkFacts,
  jsonl: string,
  step: number,
): Promise<void> {
  const file = parseExport(jsonl);
  const records = recordsIn(file);
  const textOf: FindText = async (ref) => {
    const bytes = file.payloads.get(ref.sha256);
    return bytes && unsalted(ref, bytes);
  };
  const before = records.filter(({ kind, body }) => kind === 'proposal' && body.step < step);
  const own = records.filter(({ kind, body }) => kind === 'proposal' && body.step === step);
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
    origin: `forked from a file before step ${step}`,
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
