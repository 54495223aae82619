import { computed, type ReadonlySignal } from '@preact/signals-core';
import type { RunRow } from '../../../workers/api.ts';
import { dateTime } from '../../texts/intl.ts';
import type { PlaygroundScenario } from '../scenario.ts';
import { textOf } from './reply.ts';
import type { RunSession } from './session.ts';
import { sessionName } from './session-caller.ts';

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
  return session?.text === undefined && last?.kind === 'seal' && last.body.state === 'completed';
}

/** The scenario's script proposes here, and it was written for another task than this run's. Read inside a view. */
export function scriptIsOffTask(session: RunSession | undefined, { task }: Pick<PlaygroundScenario, 'task'>): boolean {
  const { proposer } = session ?? {};
  if (proposer === undefined || proposer.origin !== undefined || proposer.script.length === 0) return false;
  return tasksOf(session).some((own) => own !== task);
}

/** The first tasks of the runs on this device, and the names of sessions, as their rows have them. */
export interface TaskTexts {
  /** Undefined where the run is gone, and where its text was erased. Read inside a view. */
  of(run_id: string): string | undefined;
}

export function openTaskTexts(runs: ReadonlySignal<readonly RunRow[]>): TaskTexts {
  const names = computed(() => new Map(runs.value.map((row) => [row.run_id, runName(row)])));
  return { of: (run_id) => names.value.get(run_id) };
}

/** The beginning of a run's first task, or the name of a session; undefined where its text was erased. */
export function runName({ task, caller }: Pick<RunRow, 'task' | 'caller'>): string | undefined {
  return caller === undefined ? task : sessionName({ label: caller, labels: [] });
}

/** Line of a list of runs. */
export interface ListedRun {
  readonly kind: 'row';
  readonly key: string;
  readonly run: RunRow;
}

export function runLines(runs: readonly RunRow[]): readonly ListedRun[] {
  return runs.map((run) => ({ kind: 'row', key: run.run_id, run }));
}

/** The runs whose name, dialect or time have each typed word, or whose id begins with it. */
export function runsWith(rows: readonly RunRow[], typed: string): readonly RunRow[] {
  const words = typed
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== '');
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const text = [runName(row) ?? '', row.dialect, dateTime(row.at)].join(' ').toLowerCase();
    return words.every((word) => text.includes(word) || row.run_id.startsWith(word));
  });
}
