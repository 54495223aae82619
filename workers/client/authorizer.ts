import { refuse } from '../../core/errors.ts';
import { assertKinds, CALLBACK, COUNT, type OptionTypes, TEXT } from '../../core/option.ts';
import type { Refused } from '../../core/outcome.ts';
import type { ApprovalAnswer, Authorizer, OpenQuestion } from '../api.ts';
import { ownProperties } from '../own-properties.ts';
import { warn } from './warn.ts';

/** The authorizer between a question and a person. Its methods never reject. */
export interface Rules {
  /** Asks the authorizer first. After its no, no person is asked. */
  ask(
    request: OpenQuestion,
    person: () => Promise<ApprovalAnswer | undefined> | undefined,
  ): Promise<ApprovalAnswer | undefined>;
  /** Asks the authorizer again before a person's yes counts. Its no overrides the yes. */
  permit(view: { readonly pending?: OpenQuestion | undefined }, digest: string, said: ApprovalAnswer): PendingAnswer;
  /** Its refusal of an edited call; undefined where it permits the call. */
  refuse(edited: OpenQuestion): Promise<Refused | undefined>;
}
type PendingAnswer = Promise<ApprovalAnswer>;

const TIMEOUT_MS = 10_000;
const LATE: unique symbol = Symbol('late');
const AUTHORIZER: OptionTypes = { id: TEXT, authorize: CALLBACK, timeoutMs: COUNT };

export function rulesOf(authorizer: Authorizer): Rules {
  assertKinds(authorizer, AUTHORIZER, ['id', 'authorize'], 'authorizer');
  return {
    async ask(request, person) {
      const no = await refusalOf(authorizer, request);
      return no ?? (request.why === 'authorizer' ? { approved: true, via: request.why } : person());
    },
    async permit({ pending }, digest, said) {
      if (pending?.digest !== digest || said.approved !== true) return said;
      return (await refusalOf(authorizer, pending)) ?? said;
    },
    async refuse(edited) {
      const said = await refusalOf(authorizer, edited);
      return said && refuse('authorizer_denied', { reason: said.approved ? '' : said.reason }, { step: 'approve' });
    },
  };
}

/** Undefined where the authorizer permits the call. An error, a late answer or an invalid answer is a refusal. */
async function refusalOf(authorizer: Authorizer, request: OpenQuestion): Promise<ApprovalAnswer | undefined> {
  const { timeoutMs = TIMEOUT_MS } = authorizer;
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(() => resolve(LATE), timeoutMs);
  });
  try {
    const said = await Promise.race([authorizer.authorize(request, { signal: controller.signal }), late]);
    if (said === LATE) return no(`it gave no answer within ${timeoutMs} ms`);
    const { allow, reason }: { readonly allow?: unknown; readonly reason?: unknown } = ownProperties(said);
    return allow === true ? undefined : no(allow === false ? reason : 'that is no answer');
  } catch (error) {
    // the words of its error are for the developer: a model and a ledger get ours
    warn(`sallyport: the authorizer ${authorizer.id} failed`, error);
    return no('it could not be asked');
  } finally {
    clearTimeout(timer);
    controller.abort();
  }
}

function no(reason: unknown): ApprovalAnswer {
  return { approved: false, reason: typeof reason === 'string' ? reason.toWellFormed() : '', via: 'authorizer' };
}
