import type { Outcome } from '../../core/outcome.ts';
import type { EditedArguments } from '../../core/run/event.ts';
import type { Notice } from '../../core/run/notices.ts';
import { visibleLine } from '../../core/text/visible.ts';
import type { ApprovalAnswer, ApprovalRequest, ConsentRequest, RuntimeOptions, RunView } from '../api.ts';
import type { Kernel } from '../kernel/api.ts';
import { ownProperties } from '../own-properties.ts';
import type { RunListener } from '../ports.ts';
import { isOver } from '../run-view.ts';
import type { Rules } from './authorizer.ts';
import type { RunUpdates } from './run-updates.ts';
import type { WaitingQuestions } from './waiting-questions.ts';
import { warn } from './warn.ts';

/** The functions that answer questions for a person. Without them, the run waits. */
export type Approvers = Pick<RuntimeOptions, 'approve' | 'consent' | 'guard' | 'hold' | 'authorizer' | 'onNotice'> & {
  readonly rules?: Rules;
  /**
   * For a session that waits for no answer of its own: whether its caller has taken the question with this digest. A
   * question that nobody has taken is refused.
   */
  readonly isAttended?: (digest: string) => boolean;
  /** The questions of all runs. */
  readonly waiting: WaitingQuestions;
  /** Who asks in this session, in the words of the program. */
  readonly principal?: string;
  /** Codes of the hints that the program has received. */
  readonly warned: Set<string>;
};

/** Updates the run's state, and passes each question to its approver a single time. */
export function listenerFor(kernel: Kernel, updates: RunUpdates, approvers: Approvers): RunListener {
  let asked = '';
  return (update) => {
    updates.push(update);
    approvers.waiting.follow(update.view);
    const { run_id, pending, consent } = update.view;
    const question = pending ?? consent;
    // The authorizer and then a person may be asked about the same call, and one person after another.
    const name = `${question?.digest} ${pending?.why} ${pending?.signed?.parts.length}`;
    if (question === undefined || name === asked) return;
    const { rules } = approvers;
    const waits = () => approvers.waiting.add(updates.view(), question.digest, approvers.principal);
    const person = () => pending && askPerson(approvers, pending, waits);
    const said = pending ? (rules ? rules.ask(pending, person) : person()) : askConsent(approvers, consent, waits);
    if (said === undefined) return;
    asked = name;
    // This fails where the runtime was closed meanwhile; the question is asked again when the run is resumed.
    said.then((words) => words && answer(kernel, run_id, question.digest, words, rules)).catch(() => undefined);
  };
}

/** Sends an answer. An invalid answer counts as no. */
async function answer(
  kernel: Kernel,
  run_id: string,
  digest: string,
  words: ApprovalAnswer,
  rules: Rules | undefined,
): Promise<void> {
  try {
    const isEdited = editedBy(words) !== undefined;
    const taken = isEdited
      ? await answerEdited(kernel, run_id, digest, words, rules)
      : await kernel.answer(run_id, digest, words);
    // another answer came first
    if (taken.ok || taken.refusal.code === 'question_answered') return;
    warn('sallyport: an approver gave no answer.', taken.refusal.message);
  } catch (error) {
    warn('sallyport: an approver gave no answer.', error);
  }
  await kernel.answer(run_id, digest, FAILED);
}

/** The edited arguments of a yes. */
export function editedBy(said: ApprovalAnswer | undefined): EditedArguments | undefined {
  return said?.approved === true ? said.instead : undefined;
}

/** Sends a yes to an edited call, if the authorizer permits that call. Else the question stays open. */
export async function answerEdited(
  kernel: Kernel,
  run_id: string,
  digest: string,
  said: ApprovalAnswer,
  rules: Rules | undefined,
): Promise<Outcome<void>> {
  const instead = editedBy(said);
  if (rules !== undefined && instead !== undefined) {
    const edited = await kernel.edit(run_id, digest, instead.args);
    if (!edited.ok) return edited;
    const refused = await rules.refuse(edited.value);
    if (refused !== undefined) return refused;
  }
  return kernel.answer(run_id, digest, said);
}

/** True if the run rests: it awaits its next step, or it awaits a person and has no approver. */
export function atRest(view: RunView, { approve, consent, rules }: Approvers): boolean {
  if (isOver(view)) return true;
  if (view.phase !== 'AWAITING_APPROVAL') return view.phase === 'IDLE' && view.mode === 'paused';
  if (view.pending?.why && rules !== undefined) return false;
  return (view.consent === undefined ? approve : consent) === undefined;
}

function askConsent(
  { consent }: Approvers,
  request: ConsentRequest | undefined,
  waits: () => void,
): Promise<ApprovalAnswer> | undefined {
  waits();
  if (consent === undefined || request === undefined) return undefined;
  return answering(async () =>
    (await consent(request)) === true ? { approved: true } : { approved: false, reason: '' },
  );
}

function askPerson(
  { approve, isAttended }: Approvers,
  request: ApprovalRequest,
  waits: () => void,
): Promise<ApprovalAnswer | undefined> | undefined {
  if (approve === undefined && isAttended !== undefined) return unlessAttended(isAttended, request, waits);
  waits();
  if (approve === undefined) return undefined;
  // `approve` is a program, even if it asks a person.
  return answering(async () => {
    const said = ownProperties(await approve(request));
    // an approver between two programs says that the one behind it failed or asks nobody: no other origin is its to claim
    const isTold = said.approved === false && (said.via === 'failed' || said.via === 'nobody');
    return { ...said, via: isTold ? said.via : 'program' };
  });
}

const NOBODY: ApprovalAnswer = { approved: false, reason: '', via: 'nobody' };

/** The caller hears of a question in the same turn of the event loop. */
async function unlessAttended(
  isAttended: NonNullable<Approvers['isAttended']>,
  { digest }: ApprovalRequest,
  waits: () => void,
): Promise<ApprovalAnswer | undefined> {
  await Promise.resolve();
  if (!isAttended(digest)) return NOBODY;
  waits();
  return undefined;
}

/** The no of an approver that failed. The words of its error are for the developer: a model and a ledger get ours. */
const FAILED: ApprovalAnswer = { approved: false, reason: 'the approver failed', via: 'failed' };

/** Turns an approver's error into a no. */
async function answering(ask: () => Promise<ApprovalAnswer>): Promise<ApprovalAnswer> {
  try {
    return await ask();
  } catch (error) {
    warn('sallyport: an approver failed', error);
    return FAILED;
  }
}

/** Tells a run's notices to `onNotice` or the console, each a single time for a runtime. */
export function noticing(listener: RunListener, approvers: Approvers, { isWatched }: RunUpdates): RunListener {
  const { warned, approve, onNotice = shown } = approvers;
  const once = (notice: Notice): void => {
    if (warned.has(notice.code)) return;
    warned.add(notice.code);
    onNotice(notice);
  };
  return (update) => {
    const { notices = [], waiting, pending } = update.view;
    for (const notice of notices) once(notice);
    // An adapter may repeat a server's text, and a console may be a terminal: control characters are escaped.
    if (waiting !== undefined)
      once({ code: 'model_failed', message: `The run waits: ${visibleLine(waiting.message)} Its run() asks again.` });
    if (pending !== undefined && pending.why === undefined && approve === undefined && !isWatched())
      once(questionWaits(pending.capability));
    listener(update);
  };
}

function shown({ code, message }: Notice): void {
  warn(`sallyport: ${message} (${code})`);
}

/** Notice about a question that a program may not know of. */
function questionWaits(capability: string): Notice {
  const message = `The run waits, because ${capability} needs the approval of a person. Give openRuntime the option approve, or answer with run.answer.`;
  return { code: 'question_waits', message };
}
