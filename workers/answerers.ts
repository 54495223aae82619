import { answerOf } from '../core/inner.ts';
import type { ApprovalAnswer, ApprovalRequest, ConsentRequest, RuntimeOptions, RunView } from './api.ts';
import type { Feed } from './feed.ts';
import type { Kernel } from './kernel/api.ts';
import type { RunListener } from './ports.ts';

/** Whoever answers questions for a person; where nobody is named, the run waits. */
export type Answerers = Pick<RuntimeOptions, 'approve' | 'consent' | 'guard'>;

/** Keeps the feed, and puts each question to whoever answers it, once. */
export function listenerFor(kernel: Kernel, feed: Feed, answerers: Answerers): RunListener {
  let asked = '';
  return (update) => {
    feed.tell(update);
    const { run_id, pending, consent } = update.view;
    const question = pending ?? consent;
    if (question === undefined || question.digest === asked) return;
    const said = pending === undefined ? askConsent(answerers, consent) : askPerson(answerers, pending);
    if (said === undefined) return;
    asked = question.digest;
    void said.then((words) => kernel.answer(run_id, question.digest, words));
  };
}

/** A run that is driven step by step may be given its next step, or waits for a person that nobody answers for. */
export function atRest(view: RunView, { approve, consent }: Answerers): boolean {
  if (view.end ?? view.taken) return true;
  if (view.phase === 'AWAITING_APPROVAL') return (view.consent === undefined ? approve : consent) === undefined;
  return view.phase === 'IDLE' && view.mode === 'paused';
}

function askConsent({ consent }: Answerers, request: ConsentRequest | undefined): Promise<ApprovalAnswer> | undefined {
  if (consent === undefined || request === undefined) return undefined;
  return answering(async () =>
    (await consent(request)) === true ? { approved: true } : { approved: false, reason: '' },
  );
}

function askPerson({ approve }: Answerers, request: ApprovalRequest): Promise<ApprovalAnswer> | undefined {
  if (approve === undefined) return undefined;
  return answering(async () => {
    const answer = answerOf(await approve(request));
    // It is a program, whomever it may have asked.
    return answer.ok ? { ...answer.value, via: 'program' } : { approved: false, reason: answer.refusal.message };
  });
}

/** Whoever answers for a person and fails has not said yes. */
async function answering(ask: () => Promise<ApprovalAnswer>): Promise<ApprovalAnswer> {
  try {
    return await ask();
  } catch (error) {
    return { approved: false, reason: `the approver failed: ${String(error)}` };
  }
}
