import type { PlaygroundScenario } from '../scenario.ts';
import { textOf } from './reply.ts';
import type { RunSession } from './session.ts';

/**
 * The tasks of a run, in the order they were given, from its own ledger; empty until their bytes are here. Read inside
 * a view.
 */
export function tasksOf(session: RunSession | undefined): readonly string[] {
  if (session === undefined) return [];
  return session.records.value.flatMap((record) => {
    const text = record.kind === 'task' ? textOf(session, record.body.text) : undefined;
    return text === undefined ? [] : [text];
  });
}

/**
 * The model of this run has ended the conversation: the page that holds the run can go on with it in the same ledger.
 * Read inside a view.
 */
export function goesOn(session: RunSession | undefined): boolean {
  const last = session?.records.value.at(-1);
  return session?.file === undefined && last?.kind === 'seal' && last.body.state === 'completed';
}

/** The scenario's script proposes here, and it was written for another task than this run's. Read inside a view. */
export function scriptIsOffTask(session: RunSession | undefined, { task }: Pick<PlaygroundScenario, 'task'>): boolean {
  const { proposer } = session ?? {};
  if (proposer === undefined || proposer.origin !== undefined || proposer.script.length === 0) return false;
  return tasksOf(session).some((own) => own !== task);
}
