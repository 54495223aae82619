import { computed, type ReadonlySignal } from '@preact/signals-core';
import { type LedgerRecord, visibleText } from '../../../core/index.ts';
import type { RunEnd, RunView } from '../../../workers/api.ts';
import type { RecordTone } from '../../records/describe.ts';
import type { StepGroup } from '../../records/steps.ts';
import type { IconName } from '../../style/icons.ts';
import { run } from '../../texts/en/run.ts';
import { timeOfDay } from '../../texts/intl.ts';
import { byMember } from '../parts/by-member.ts';
import type { Elsewhere, RunSession } from './session.ts';
import { callerOf } from './session-caller.ts';

/** The state of a run as a badge: icon, word and sentence, never colour alone. */
export interface Status {
  readonly icon: IconName;
  readonly word: string;
  readonly sentence: string;
  readonly tone: RecordTone;
  /** Names the key to an open question; shown only where there is a keyboard. */
  readonly keyHint?: string;
  /** A step is under way. */
  readonly isRunning?: true;
  /** A model is asked, and a person can cancel the request. */
  readonly isAsking?: true;
}

interface StatusInput {
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
  /** The model that is asked, and whether its answer has begun. */
  readonly asking?: { readonly model: string; readonly hasBegun: boolean } | undefined;
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
  const shown = computed(() => {
    const own = session.value;
    if (own === undefined) return status('play', run().status.starting, progress.value);
    const records = own.records.value;
    return statusOf({
      view: own.view.value,
      asked: own.proposer?.asked.value ?? false,
      asking: askingIn(own),
      cutOff: isCutOff(records),
      takenUp: takenUpAt(records),
      isSession: callerOf(records) !== undefined,
      elsewhere: taking.value ? 'taking' : own.elsewhere.value,
      ending: endingOf(own.steps.value),
    });
  });
  return byMember(shown);
}

/** Names the state of a run and a person's next action. */
export function statusOf({
  view,
  asked,
  asking,
  cutOff = false,
  takenUp,
  elsewhere,
  isSession = false,
  ending,
}: StatusInput): Status {
  const { status: texts, notice: noticeText } = run();
  if (elsewhere !== undefined) return elsewhereStatus(elsewhere, isSession);
  if (view === undefined) return status('eye', texts.readOnly, isSession ? texts.readSession : texts.readRun);
  if (view.end !== undefined) return endStatus(view.end, view.tokens);
  if (view.pending !== undefined) return question(texts.approval, texts.approvalOf(view.pending.capability));
  if (view.consent !== undefined) return question(texts.consent, texts.consentTo(view.consent.origin));
  if (asking !== undefined) return askingStatus(asking);
  if (view.waiting !== undefined) return waitingStatus(view.waiting, view.mode === 'paused');
  if (asked) return status('pen', texts.yourTurn, texts.youAreTheModel, 'wait');
  if (view.mode !== 'paused') return { ...status('play', texts.running, phaseText(view.phase)), isRunning: true };
  // the page grants operations on content for its runs of messages, and its other runs read papers by capabilities
  const notice = view.notices?.find(({ code }) => code !== 'content_not_offered');
  if (view.steps === 0 && notice !== undefined)
    return status('ready', texts.ready, noticeText(notice.code, notice.message), 'wait');
  if (view.steps === 0) return status('ready', texts.ready, texts.readySentence);
  if (cutOff) return status('cross', texts.interrupted, texts.cutOff(view.steps), 'bad');
  if (takenUp !== undefined) return status('play', texts.resumed, texts.resumedAt(takenUp));
  return status('pause', texts.paused, texts.pausedAfter(ending ?? texts.stepDone(view.steps)));
}

function askingIn({ proposer }: RunSession): StatusInput['asking'] {
  const text = proposer?.saying.value;
  const { elsewhere } = proposer ?? {};
  return text === undefined || elsewhere === undefined
    ? undefined
    : { model: elsewhere.name ?? elsewhere.id, hasBegun: text !== '' };
}

function askingStatus({ model, hasBegun }: NonNullable<StatusInput['asking']>): Status {
  const { status: texts } = run();
  const name = visibleText(model);
  const sentence = hasBegun ? texts.modelAnswers(name) : texts.waitsFor(name);
  return { ...status('play', texts.model, sentence), isRunning: true, isAsking: true };
}

/** The program that opened a session drives it, and this page only reads it. */
function elsewhereStatus(elsewhere: Elsewhere | 'taking', isSession: boolean): Status {
  const { status: texts } = run();
  if (isSession && elsewhere === 'free') return status('eye', texts.unfinished, texts.leftSentence);
  if (isSession) return status('eye', texts.followed, texts.followedSentence);
  const { word, sentence } = texts.elsewhere[elsewhere];
  return status('eye', word, sentence);
}

function waitingStatus({ message, said, since }: NonNullable<RunView['waiting']>, paused: boolean): Status {
  const { status: texts } = run();
  const told = said === undefined ? '' : texts.said(visibleText(said));
  const sentence = `${texts.modelWaits(paused, visibleText(message), timeOfDay(since))}${told}`;
  return status('pause', texts.model, sentence, 'wait');
}

function phaseText(phase: RunView['phase']): string {
  const { phases, runningSentence }: { phases: Partial<Record<string, string>>; runningSentence: string } =
    run().status;
  return phases[phase] ?? runningSentence;
}

function status(icon: IconName, word: string, sentence: string, tone: RecordTone = 'plain'): Status {
  return { icon, word, sentence, tone };
}

function question(word: string, sentence: string): Status {
  return { ...status('hand', word, sentence, 'wait'), keyHint: run().status.questionKey };
}

function endStatus({ state, steps, code, message }: RunEnd, tokens: RunView['tokens']): Status {
  const { status: texts } = run();
  const counted = texts.steps(steps);
  const after = tokens === undefined ? counted : texts.stepsAndTokens(counted, tokens.input + tokens.output);
  const told = code ?? texts.noCode;
  // the reason of the store or of the runtime; the records hold a model's own reason
  const why = (code === 'log_failed' || code === 'runtime_failed') && message !== undefined ? ` ${message}` : '';
  const ends: { readonly [S in RunEnd['state']]: Status } = {
    completed: status('check', texts.completed, texts.completedIn(after), 'good'),
    aborted: status('stop', texts.aborted, texts.abortedAfter(after), 'bad'),
    limit: status('barrier', texts.limit, texts.limitAfter(after, told), 'bad'),
    failed: status('cross', texts.failed, `${texts.failedAfter(after, told)}${why}`, 'bad'),
  };
  return ends[state];
}

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
  const { status: texts } = run();
  const step = last.step ?? 0;
  if (reason === undefined) return texts.passed(step, last.title);
  return texts.stopped(step, last.title, last.stopped ?? reason.step ?? '', reason.code);
}
