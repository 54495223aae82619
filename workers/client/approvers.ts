import type { ApprovalAnswer, ApprovalRequest, ConsentRequest, RuntimeOptions, RunView } from '../api.ts';
import { own } from '../async/own-properties.ts';
import type { Kernel } from '../kernel/api.ts';
import type { RunListener } from '../ports.ts';
import type { Rules } from './authorizer.ts';
import type { Feed } from './run-updates.ts';

/** Whoever answers questions for a person; where nobody is named, the run waits. */
export type Answerers = Pick<RuntimeOptions, 'approve' | 'consent' | 'guard' | 'authorizer'> & {
  readonly rules?: Rules;
  /** What the console was told already. */
  readonly warned: Set<string>;
};

/** Keeps the feed, and puts each question to whoever answers it, once. */
export function listenerFor(kernel: Kernel, feed: Feed, answerers: Answerers): RunListener {
  let asked = '';
  return (update) => {
    feed.tell(update);
    const { run_id, pending, consent } = update.view;
    const question = pending ?? consent;
    // the same call may be put to rules, and then to a person
    const name = `${question?.digest} ${pending?.why}`;
    if (question === undefined || name === asked) return;
    const { rules } = answerers;
    const person = () => pending && askPerson(answerers, pending);
    const said = pending ? (rules ? rules.ask(pending, person) : person()) : askConsent(answerers, consent);
    if (said === undefined) return;
    asked = name;
    // it fails where the runtime was closed meanwhile: whoever takes the run up is asked again
    said.then((words) => words && answer(kernel, run_id, question.digest, words)).catch(() => undefined);
  };
}

/** What is no answer is no yes. */
async function answer(kernel: Kernel, run_id: string, digest: string, words: ApprovalAnswer): Promise<void> {
  const deny = (reason: string) => kernel.answer(run_id, digest, { approved: false, reason });
  try {
    const taken = await kernel.answer(run_id, digest, words);
    if (!taken.ok) await deny(taken.refusal.message);
  } catch (error) {
    await deny(String(error));
  }
}

/** A run that is driven step by step may be given its next step, or waits for a person that nobody answers for. */
export function atRest(view: RunView, { approve, consent, rules }: Answerers): boolean {
  if (view.end ?? view.taken) return true;
  if (view.phase !== 'AWAITING_APPROVAL') return view.phase === 'IDLE' && view.mode === 'paused';
  if (view.pending?.why && rules !== undefined) return false;
  return (view.consent === undefined ? approve : consent) === undefined;
}

function askConsent({ consent }: Answerers, request: ConsentRequest | undefined): Promise<ApprovalAnswer> | undefined {
  if (consent === undefined || request === undefined) return undefined;
  return answering(async () =>
    (await consent(request)) === true ? { approved: true } : { approved: false, reason: '' },
  );
}

function askPerson({ approve }: Answerers, request: ApprovalRequest): Promise<ApprovalAnswer> | undefined {
  if (approve === undefined) return undefined;
  // It is a program, whomever it may have asked.
  return answering(async () => ({ ...own(await approve(request)), via: 'program' }));
}

/** Whoever answers for a person and fails has not said yes. */
async function answering(ask: () => Promise<ApprovalAnswer>): Promise<ApprovalAnswer> {
  try {
    return await ask();
  } catch (error) {
    return { approved: false, reason: `the approver failed: ${String(error)}` };
  }
}
