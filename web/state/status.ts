import type { RunView } from '../../workers/api.ts';
import type { IconName } from '../style/icons.ts';
import type { Tone } from './describe.ts';

/** The state of a run as a badge: icon, word and sentence, never colour alone. */
export interface Status {
  readonly icon: IconName;
  readonly word: string;
  readonly sentence: string;
  readonly tone: Tone;
}

export interface Moment {
  /** Absent for an earlier run that is only read. */
  readonly view: RunView | undefined;
  /** A person is asked for a proposal. */
  readonly asked: boolean;
}

/** Names the state a run is in and what a person can do about it. */
export function statusOf({ view, asked }: Moment): Status {
  if (view === undefined) return status('eye', 'Read only', 'An earlier run. It can be read, verified and exported.');
  if (view.end !== undefined) return endStatus(view.end);
  if (view.pending !== undefined) {
    return status('hand', 'Waiting for approval', `Paused. ${view.pending.capability} needs your approval.`, 'wait');
  }
  if (asked) return status('pen', 'Your turn', 'You are the model. Send a proposal.', 'wait');
  if (view.mode !== 'paused') return status('play', 'Running', PHASES[view.phase] ?? 'Running.');
  if (view.steps === 0) return status('ready', 'Ready', 'Paused before the first step. Nothing has run yet.');
  return status('pause', 'Paused', `Paused after step ${view.steps}.`);
}

function status(icon: IconName, word: string, sentence: string, tone: Tone = 'plain'): Status {
  return { icon, word, sentence, tone };
}

function endStatus(end: NonNullable<RunView['end']>): Status {
  const steps = `${end.steps} ${end.steps === 1 ? 'step' : 'steps'}`;
  switch (end.state) {
    case 'completed':
      return status('check', 'Completed', `Completed in ${steps}.`, 'good');
    case 'aborted':
      return status('stop', 'Aborted', `Aborted after ${steps}. The log is closed and can be verified.`, 'bad');
    case 'limit':
      return status('barrier', 'Limit reached', `Stopped by a limit after ${steps}: ${end.code ?? 'limit'}.`, 'bad');
    case 'failed':
      return status('cross', 'Failed', `Failed after ${steps}: ${end.code ?? 'no code'}.`, 'bad');
  }
}

const PHASES: Partial<Record<RunView['phase'], string>> = {
  INPUT_RECEIVED: 'Waiting for a proposal.',
  PROTOCOL_VALIDATING: 'Validating the proposal.',
  AUTHORIZATION_EVALUATING: 'Deciding whether it is permitted.',
  CAPABILITY_EXECUTING: 'Executing in the sandbox.',
  MEMORY_COMMITTING: 'Writing the receipt.',
};
