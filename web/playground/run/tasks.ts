import { type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import type { Runtime } from '../../../workers/api.ts';
import type { PlaygroundScenario } from '../scenario.ts';
import { textOf } from './reply.ts';
import type { RunSession } from './session.ts';
import { callerOf, sessionName } from './session-caller.ts';

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

/** The scenario's script proposes here, and it was written for another task than this run's. Read inside a view. */
export function scriptIsOffTask(session: RunSession | undefined, { task }: Pick<PlaygroundScenario, 'task'>): boolean {
  const { proposer } = session ?? {};
  if (proposer === undefined || proposer.origin !== undefined || proposer.script.length === 0) return false;
  return tasksOf(session).some((own) => own !== task);
}

/**
 * The first tasks of the runs on this device, and the names of sessions, each read from the run's ledger when it is
 * first asked for.
 */
export interface TaskTexts {
  /** Undefined until it is read, and where the run or its bytes are gone. Read inside a view. */
  of(run_id: string): string | undefined;
}

export function openTaskTexts({ ledger }: Pick<Runtime, 'ledger'>): TaskTexts {
  const known = new Map<string, Signal<string | undefined>>();
  // in sequence: a long list must not keep the driven run waiting
  let before: Promise<unknown> = Promise.resolve();

  async function read(run_id: string, into: Signal<string | undefined>): Promise<void> {
    const records = await ledger.records(run_id);
    const caller = callerOf(records);
    if (caller !== undefined) {
      into.value = sessionName(caller);
      return;
    }
    const task = records.find((record) => record.kind === 'task');
    const bytes = task?.kind === 'task' ? await ledger.payload(run_id, task.body.text.sha256) : undefined;
    into.value = bytes === undefined ? undefined : new TextDecoder().decode(bytes);
  }

  const ask = (run_id: string): ReadonlySignal<string | undefined> => {
    const cell = signal<string | undefined>(undefined);
    known.set(run_id, cell);
    before = before.then(() => read(run_id, cell)).catch(() => undefined);
    return cell;
  };

  return { of: (run_id) => (known.get(run_id) ?? ask(run_id)).value };
}
