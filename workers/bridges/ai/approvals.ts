import { sha256Text } from '../../../core/hash.ts';
import { isObject, type JsonValue } from '../../../core/json/value.ts';
import type { LedgerRecord } from '../../../core/ledger/record.ts';
import type { ApprovalAnswer, Called, OpenQuestion, RawJson, Session } from '../../api.ts';

/** Goals by which the ledger names the calls of the SDK. */
export const GOALS = {
  call: (toolCallId: string): string => goal('tool call', toolCallId),
  question: (toolCallId: string): string => goal('question about tool call', toolCallId),
} as const;

const GOAL_MAX = 4096;

function goal(words: string, toolCallId: string): string {
  return `${words} ${toolCallId}`.slice(0, GOAL_MAX).toWellFormed();
}

const DEFERRED = 'The AI SDK asks a person. The next request brings the answer.';
/** Reason of a refused approval. */
const UNKNOWN = 'The approval is for another call, or was used before.';

/** A question that is written down; `called` if the call has run instead. */
interface RecordedQuestion {
  /** Why a person is asked. */
  readonly reason: string;
  readonly called?: Called;
}

/**
 * Asks the gate about a call that needs a person, and writes the question down: the call ends with its receipt and a
 * no, and the next request makes it again. The ledger so has the exact arguments that the person is asked about. The
 * call runs if the policy has changed, or if an approver of the program says yes.
 */
export async function recordQuestion(
  session: Session,
  name: string,
  args: JsonValue | RawJson,
  toolCallId: string,
): Promise<RecordedQuestion> {
  let reason = '';
  const onQuestion = (question: OpenQuestion): void => {
    if (question.why === 'authorizer') return;
    reason = question.reason;
    answer(session, question.digest, { approved: false, reason: DEFERRED, via: 'later' });
  };
  const called = await session.call(name, args, { goal: GOALS.question(toolCallId), onQuestion });
  return reason !== '' && !called.ok ? { reason } : { reason, called };
}

/** Answers the question about a call that a person has approved in an earlier request. */
export async function answerApproved(session: Session, question: OpenQuestion, toolCallId: string): Promise<void> {
  if (question.why === 'authorizer') return;
  const isSame = await isAsked(session, question, toolCallId).catch(() => false);
  answer(session, question.digest, isSame ? { approved: true } : { approved: false, reason: UNKNOWN });
}

/** The session may have ended meanwhile; then its calls are rejected. */
function answer({ run }: Session, digest: string, said: ApprovalAnswer): void {
  run.answer(digest, said).catch(() => undefined);
}

/** True if the newest question about this call in the ledger is the same, and no later call has used its approval. */
async function isAsked({ run }: Session, question: OpenQuestion, toolCallId: string): Promise<boolean> {
  const asked = new AskedCalls(toolCallId);
  for await (const record of run.records()) {
    if (record.kind === 'proposal' && record.body.step_id === question.step_id) break;
    asked.add(record);
  }
  const { capability_hash, args } = asked.open ?? {};
  return capability_hash === question.capability_hash && args === sha256Text(question.args);
}

interface AskedCall {
  readonly capability_hash: string;
  readonly args: string;
}

/** The questions about a call of the SDK, from the records of a session. */
class AskedCalls {
  readonly #goals: { readonly call: string; readonly question: string };
  #step: 'call' | 'question' | undefined;
  /** The question whose approval no call has used. */
  open: AskedCall | undefined;

  constructor(toolCallId: string) {
    this.#goals = { call: sha256Text(GOALS.call(toolCallId)), question: sha256Text(GOALS.question(toolCallId)) };
  }

  add(record: LedgerRecord): void {
    if (record.kind === 'proposal') this.#begin(record.body.goal?.sha256);
    if (record.kind !== 'approval' || this.#step === undefined || record.body.ticket !== undefined) return;
    const { body } = record;
    if (body.event === 'asked' && this.#step === 'question')
      this.open = { capability_hash: body.capability_hash, args: body.args.sha256 };
    if (body.event === 'answered' && body.approved) this.open = undefined;
  }

  #begin(goalHash: string | undefined): void {
    const { call, question } = this.#goals;
    this.#step = goalHash === question ? 'question' : goalHash === call ? 'call' : undefined;
  }
}

/** True if the last message approves this call: only then the SDK carries out a call of an earlier request. */
export function isApproved(messages: readonly unknown[], toolCallId: string): boolean {
  const approved = new Set(
    partsOf(messages.at(-1), 'tool')
      .filter(({ type, approved: yes }) => type === 'tool-approval-response' && yes === true)
      .map(({ approvalId }) => approvalId),
  );
  if (approved.size === 0) return false;
  const requests = messages.flatMap((message) => partsOf(message, 'assistant'));
  return requests.some((part) => {
    return (
      part['type'] === 'tool-approval-request' && part['toolCallId'] === toolCallId && approved.has(part['approvalId'])
    );
  });
}

type Part = { readonly [name: string]: unknown };

function partsOf(message: unknown, role: string): readonly Part[] {
  const { role: said, content } = isObject(message) ? (message as Part) : {};
  return said === role && Array.isArray(content) ? (content as readonly unknown[]).filter(isPart) : [];
}

function isPart(value: unknown): value is Part {
  return isObject(value);
}
