import { sha256Hex, sha256Text } from '../../../core/hash.ts';
import { isObject, type JsonValue } from '../../../core/json/value.ts';
import { type PayloadRef, unsalted } from '../../../core/ledger/payload-ref.ts';
import type { LedgerRecord } from '../../../core/ledger/record.ts';
import type { ApprovalAnswer, Called, CallingOptions, OpenQuestion, RawJson, Session } from '../../api.ts';
import { type PayloadReader, payloadsOf } from '../../client/serving.ts';

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
  const onQuestion = (question: OpenQuestion): false | undefined => {
    if (!isForPerson(question, name)) return false;
    reason = question.reason;
    answer(session, question.digest, { approved: false, reason: DEFERRED, via: 'later' });
    return undefined;
  };
  const called = await session.call(name, args, { goal: GOALS.question(toolCallId), onQuestion });
  return reason !== '' && !called.ok ? { reason } : { reason, called };
}

/**
 * Carries out a call that a person has approved in an earlier request. Questions of the call's own program, which the
 * person was not asked, go to the runtime's approvers.
 */
export async function callApproved(
  session: Session,
  name: string,
  args: JsonValue,
  toolCallId: string,
  how: CallingOptions,
): Promise<Called> {
  const onQuestion = (question: OpenQuestion): false | undefined => {
    if (!isForPerson(question, name)) return false;
    void isAsked(session, question, toolCallId)
      .catch(() => false)
      .then((isSame) =>
        answer(session, question.digest, isSame ? { approved: true } : { approved: false, reason: UNKNOWN }),
      );
    return undefined;
  };
  return session.call(name, args, { ...how, goal: GOALS.call(toolCallId), onQuestion });
}

/**
 * True for a question about the call itself that the SDK may be asked: the authorizer has its own, where held values
 * take part, it is held that a person is asked, and the SDK's yes is never signed.
 */
function isForPerson({ why, held, signed, capability }: OpenQuestion, name: string): boolean {
  return why !== 'authorizer' && held !== true && signed === undefined && capability === name;
}

/** The session may have ended meanwhile; then its calls are rejected. */
function answer({ run }: Session, digest: string, said: ApprovalAnswer): void {
  run.answer(digest, said).catch(() => undefined);
}

/** True if the newest question about this call in the ledger is the same, and no later call has used its approval. */
async function isAsked(session: Session, question: OpenQuestion, toolCallId: string): Promise<boolean> {
  const asked = new AskedCalls(toolCallId, payloadsOf(session));
  for await (const record of session.run.records()) {
    if (record.kind === 'proposal' && record.body.step_id === question.step_id) break;
    await asked.add(record);
  }
  const { capability_hash, args } = asked.open ?? {};
  return capability_hash === question.capability_hash && args === sha256Text(question.args);
}

interface AskedCall {
  readonly capability_hash: string;
  /** Hash of the text. */
  readonly args: string | undefined;
}

/** The questions about a call of the SDK, from the records of a session. */
class AskedCalls {
  readonly #goals: { readonly call: string; readonly question: string };
  readonly #payload: PayloadReader;
  #step: 'call' | 'question' | undefined;
  /** The question whose approval no call has used. */
  open: AskedCall | undefined;

  constructor(toolCallId: string, payload: PayloadReader) {
    this.#payload = payload;
    this.#goals = { call: sha256Text(GOALS.call(toolCallId)), question: sha256Text(GOALS.question(toolCallId)) };
  }

  async add(record: LedgerRecord): Promise<void> {
    if (record.kind === 'proposal') await this.#begin(record.body.goal);
    if (record.kind !== 'approval' || this.#step === undefined || record.body.ticket !== undefined) return;
    const { body } = record;
    if (body.event === 'asked' && this.#step === 'question')
      this.open = { capability_hash: body.capability_hash, args: await this.#hashOf(body.args) };
    if (body.event === 'answered' && body.approved) this.open = undefined;
  }

  async #begin(goal: PayloadRef | undefined): Promise<void> {
    const { call, question } = this.#goals;
    const hash = goal && (await this.#hashOf(goal));
    this.#step = hash === question ? 'question' : hash === call ? 'call' : undefined;
  }

  /** Hash of a text without its salt; undefined for a salted text that was erased. */
  async #hashOf(ref: PayloadRef): Promise<string | undefined> {
    if (ref.salt === undefined) return ref.sha256;
    const bytes = await this.#payload(ref);
    return bytes && sha256Hex(unsalted(ref, bytes));
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
