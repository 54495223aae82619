import { computed, type ReadonlySignal } from '@preact/signals-core';
import { type LedgerRecord, visibleText } from '../../../core/index.ts';
import type { RunEnd, RunView } from '../../../workers/api.ts';
import type { RecordTone } from '../../records/describe.ts';
import type { StepGroup } from '../../records/steps.ts';
import type { IconName } from '../../style/icons.ts';
import { count } from '../parts/text.ts';
import type { Elsewhere, RunSession } from './session.ts';
import { callerOf } from './session-caller.ts';

/** The state of a run as a badge: icon, word and sentence, never colour alone. */
export interface Status {
  readonly icon: IconName;
  readonly word: string;
  readonly sentence: string;
  readonly tone: RecordTone;
}

export interface StatusInput {
  /** Absent for an earlier run that is only read. */
  readonly view: RunView | undefined;
  /**
   * The run is read here and has not ended: another tab writes it, no tab writes it, or a tab was asked to release it.
   */
  readonly elsewhere?: Elsewhere | 'taking' | undefined;
  /** The run is a session: its program proposes. */
  readonly isSession?: boolean;
  /** A person is asked for a proposal. */
  readonly asked: boolean;
  /** The last step was cut off, by a crash or a closed tab. */
  readonly cutOff?: boolean;
  /** The record of the resume, until a later record follows. */
  readonly takenUp?: number | undefined;
  /** The end of the last step. */
  readonly ending?: string | undefined;
}

/**
 * The status of the open run. `taking` is true while another tab is asked to release it. `progress` tells of the start
 * of the kernel, before there is a run.
 */
export function openStatus(
  session: ReadonlySignal<RunSession | undefined>,
  taking: ReadonlySignal<boolean>,
  progress: ReadonlySignal<string>,
): ReadonlySignal<Status> {
  return computed(() => {
    const own = session.value;
    if (own === undefined) return status('play', 'Starting', progress.value);
    const records = own.records.value;
    return statusOf({
      view: own.view.value,
      asked: own.proposer?.asked.value ?? false,
      cutOff: isCutOff(records),
      takenUp: takenUpAt(records),
      isSession: callerOf(records) !== undefined,
      elsewhere: taking.value ? 'taking' : own.elsewhere.value,
      ending: endingOf(own.steps.value),
    });
  });
}

/** Names the state of a run and a person's next action. */
export function statusOf({
  view,
  asked,
  cutOff = false,
  takenUp,
  elsewhere,
  isSession = false,
  ending,
}: StatusInput): Status {
  if (elsewhere !== undefined && isSession) return elsewhere === 'free' ? LEFT : FOLLOWED;
  if (elsewhere !== undefined) return status('eye', ...ELSEWHERE[elsewhere]);
  if (view === undefined) {
    const what = isSession ? 'A session that was closed' : 'An earlier run';
    return status('eye', 'Read only', `${what}. It can be read, verified and exported.`);
  }
  if (view.end !== undefined) return endStatus(view.end, view.tokens);
  if (view.pending !== undefined) {
    return status(
      'hand',
      'Waiting for approval',
      `Paused. ${view.pending.capability} needs your approval: F8 goes to it.`,
      'wait',
    );
  }
  if (view.consent !== undefined) {
    const { origin } = view.consent;
    return status(
      'hand',
      'Waiting for consent',
      `Paused. The next request would send private data to ${origin}. Press F8 to go to the question.`,
      'wait',
    );
  }
  if (view.waiting !== undefined) {
    const { message, said, since } = view.waiting;
    const told = said === undefined ? '' : ` It said: ${visibleText(said)}`;
    const [state, next] =
      view.mode === 'paused' ? ['Paused', 'Run asks again.'] : ['Running', 'It is asked again soon.'];
    const time = new Date(since).toLocaleTimeString();
    const sentence = `${state}. ${visibleText(message)} The model has not answered since ${time}. ${next}${told}`;
    return status('pause', 'Waiting for the model', sentence, 'wait');
  }
  if (asked) return status('pen', 'Your turn', 'You are the model. Send a proposal.', 'wait');
  if (view.mode !== 'paused') return status('play', 'Running', PHASES[view.phase] ?? 'Running.');
  // the page grants operations on content for its runs of messages, and its other runs read papers by capabilities
  const notice = view.notices?.find(({ code }) => code !== 'content_not_offered');
  if (view.steps === 0 && notice !== undefined) return status('ready', 'Ready', notice.message, 'wait');
  if (view.steps === 0) return status('ready', 'Ready', 'Paused before the first step. Nothing has run yet.');
  if (cutOff) {
    const told = `Step ${view.steps} was cut off. Whether it took effect is unknown; nothing was run again.`;
    return status('cross', 'Interrupted', told, 'bad');
  }
  if (takenUp !== undefined) {
    return status('play', 'Resumed', `Resumed where it stopped, as record ${takenUp} says. No step was run again.`);
  }
  return status('pause', 'Paused', `Paused. ${ending ?? `Step ${view.steps} is done.`}`);
}

/** The program that opened a session drives it, and this page only reads it. */
const FOLLOWED = status('eye', 'Followed', 'Its program has this session open. It is shown as it is written there.');
const LEFT = status('eye', 'Unfinished', 'No program has this session open. The program that began it can resume it.');

const ELSEWHERE: { readonly [E in Elsewhere | 'taking']: readonly [word: string, sentence: string] } = {
  there: ['In another tab', 'Another tab has this run. It is shown as it is written there.'],
  taken: ['Taken over', 'Another tab has this run: it was taken over there. It is shown as it is written there.'],
  free: ['Unfinished', 'No tab has this run open. It can be continued here, from its last record.'],
  taking: [
    'Taking over',
    'Waiting for the other tab to finish its step and release the run. A frozen tab must wake first.',
  ],
};

function status(icon: IconName, word: string, sentence: string, tone: RecordTone = 'plain'): Status {
  return { icon, word, sentence, tone };
}

function endStatus({ state, steps, code, message }: RunEnd, tokens: RunView['tokens']): Status {
  const after =
    count(steps, 'step') + (tokens === undefined ? '' : ` and ${count(tokens.input + tokens.output, 'token')}`);
  // the store's reason; the records hold a model's own reason
  const why = code === 'log_failed' && message !== undefined ? ` ${message}` : '';
  const ends: { readonly [S in RunEnd['state']]: Status } = {
    completed: status('check', 'Completed', `Completed in ${after}.`, 'good'),
    aborted: status('stop', 'Aborted', `Aborted after ${after}. The log is closed and can be verified.`, 'bad'),
    limit: status('barrier', 'Limit reached', `Stopped by a limit after ${after}: ${code ?? 'no code'}.`, 'bad'),
    failed: status('cross', 'Failed', `Failed after ${after}: ${code ?? 'no code'}.${why}`, 'bad'),
  };
  return ends[state];
}

const PHASES: Partial<Record<RunView['phase'], string>> = {
  INPUT_RECEIVED: 'Waiting for a proposal.',
  PROTOCOL_VALIDATING: 'Validating the proposal.',
  AUTHORIZATION_EVALUATING: 'Deciding whether it is permitted.',
  CAPABILITY_EXECUTING: 'Executing in the sandbox.',
  MEMORY_COMMITTING: 'Writing the receipt.',
};

/** True if the last step was interrupted. */
function isCutOff(records: readonly LedgerRecord[]): boolean {
  const last = records.findLast((record) => record.kind === 'receipt');
  return last?.body.evidence.reason?.code === 'interrupted';
}

/** The record of its last resumption, if that is the last thing that has happened. */
function takenUpAt(records: readonly LedgerRecord[]): number | undefined {
  const last = records.at(-1);
  return last?.kind === 'state' && last.body.event === 'resumed' ? last.run_seq : undefined;
}

/** The sentence about an ended step: how far its proposal came, and the gate that stopped it. */
export function endingOf(steps: readonly StepGroup[]): string | undefined {
  const last = steps.findLast(({ step }) => step !== undefined);
  const receipt = last?.records.find((record) => record.kind === 'receipt');
  if (last === undefined || receipt?.kind !== 'receipt') return undefined;
  const { reason } = receipt.body.evidence;
  if (reason === undefined) return `Step ${last.step}, ${last.title}, passed every gate.`;
  return `Step ${last.step}, ${last.title}, was stopped at ${last.stopped ?? reason.step}: ${reason.code}.`;
}
