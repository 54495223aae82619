import type { Runtime } from '../../../workers/api.ts';
import { run as texts } from '../../texts/en/run.ts';
import type { DraftUndo } from '../parts/draft-undo.ts';
import type { CurrentRun } from './current-run.ts';
import type { NextRun } from './next-run.ts';
import { beginRun, openScenarioOf, proposalsOf, type RunChoices, scenarioOf } from './run-start.ts';
import type { RunSession } from './session.ts';

export interface ForkFacts {
  readonly runtime: Runtime;
  readonly choices: RunChoices;
  readonly current: CurrentRun;
  readonly next: Pick<NextRun, 'choose'>;
  readonly draft: Pick<DraftUndo, 'put'>;
}

/** Starts a new run with the proposals of `own` up to this step, whose own proposal becomes the draft. */
export async function forkRun(
  { runtime, choices, current, next, draft }: ForkFacts,
  own: RunSession,
  step: number,
): Promise<void> {
  const script = await proposalsOf(own.records.peek(), own.bytes);
  if (script === undefined) throw new Error(texts().proposalsMissing);
  const origin = `forked from ${own.id.slice(0, 8)} before step ${step}`;
  const { shelf, scenario, setup } = choices;
  const [records, now] = [own.records.peek(), scenario.peek()];
  scenario.value = own.isForeign ? openScenarioOf(shelf, records, now) : ((await scenarioOf(shelf, records)) ?? now);
  next.choose('script');
  const begun = beginRun(runtime, {
    scenario: scenario.peek(),
    offer: shelf.offer(scenario.peek()),
    chosen: 'script',
    setup: setup.peek(),
    script,
    origin,
  });
  current.drive(begun.run, begun.proposer);
  for (let taken = 1; taken < step && begun.run.view.pending === undefined; taken += 1) await begun.run.step();
  draft.put(script[step - 1] ?? '');
  if (begun.run.view.pending === undefined) next.choose('you');
}
