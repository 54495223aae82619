import type { ToolContext } from '../../../../core/capability/author.ts';
import type { LedgerRecord } from '../../../../core/ledger/record.ts';
import { ToolError } from '../../../../core/tool-error.ts';

/** A grant of the configuration with `uses`, by the text of its terms: it outlives the grants that runs have of it. */
interface Limited {
  readonly uses: number;
  used: number;
}

/** A step with calls that were authorized. */
interface DecidedStep {
  /** It has taken the last use of a grant. */
  isLast: boolean;
  /** Whether a grant had a use left for each call that was decided: the step's own, and those of its guest by ticket. */
  readonly calls: Map<number | undefined, boolean>;
}

/** A call of a tool, as the tool is told of it. */
type CallRef = Pick<ToolContext, 'step_id' | 'ticket'>;

/** ms in which the decision of a call has to be read from its run. It was recorded before the call. */
const READ_MS = 5_000;

/**
 * Uses of the configured grants, over all runs and connections of this process. A run counts its own uses; this counts
 * those of all of them, in the order in which their records came.
 */
export class ProcessUses {
  readonly #limited = new Map<string, Limited>();
  readonly #byGrant = new Map<string, Limited>();
  readonly #steps = new Map<string, DecidedStep>();
  readonly #waiting = new Map<string, () => void>();
  readonly #usedUp: () => void;

  /** `usedUp` is called when a grant has no use left, and its last call has ended. */
  constructor(usedUp: () => void) {
    this.#usedUp = usedUp;
  }

  /** False for terms that have no use left. */
  isLeft(text: string): boolean {
    const limited = this.#limited.get(text);
    return limited === undefined || limited.used < limited.uses;
  }

  /** Counts the uses of a grant under the uses of its terms. */
  add(text: string, uses: number, grant: string): void {
    const limited = this.#limited.get(text) ?? { uses, used: 0 };
    this.#limited.set(text, limited);
    this.#byGrant.set(grant, limited);
  }

  /** Reads the next record of a run. */
  read({ kind, body }: LedgerRecord): void {
    if (kind === 'decision') {
      if (body.decision !== 'AUTHORIZED') return;
      this.#decide(body, body.grant);
    } else if (kind === 'approval' && body.event === 'answered') {
      // a use of a standing answer is a use of its parent
      const parent = body.grant?.parent === undefined ? undefined : this.#byGrant.get(body.grant.parent);
      if (body.grant !== undefined && parent !== undefined) this.#byGrant.set(body.grant.id, parent);
    } else if (kind === 'power' && body.event === 'issued') {
      this.#decide(body, body.grant);
    } else if (kind === 'receipt') {
      const step = this.#step(body.receipt.step_id);
      // what guest code reads through the runtime stands in the receipt alone; a call of a tool is recorded before it
      for (const { ticket, decision, grant } of body.evidence.powers ?? [])
        if (decision === 'AUTHORIZED' && !step.calls.has(ticket)) this.#use(grant, step);
      this.#steps.delete(body.receipt.step_id);
      // not before: a grant that is revoked ends the calls that it has permitted
      if (step.isLast) this.#usedUp();
    }
  }

  /** Rejects for a call for which the grants had no use left when it was decided. */
  async permit(call: CallRef): Promise<void> {
    const { step_id, ticket } = call;
    const isDecided = (): boolean => this.#steps.get(step_id)?.calls.has(ticket) === true;
    if (!isDecided()) {
      const key = keyOf(call);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, READ_MS);
        this.#waiting.set(key, () => {
          clearTimeout(timer);
          resolve();
        });
      });
      this.#waiting.delete(key);
    }
    const hadUse = this.#steps.get(step_id)?.calls.get(ticket);
    if (hadUse === undefined)
      throw new ToolError('record_late', 'The record of the call could not be read in time. The call was not made.');
    if (!hadUse)
      throw new ToolError(
        'grant_used_up',
        'Other runs have used all uses of the grant. Call the tool again to ask a person.',
      );
  }

  #decide(call: CallRef, grant: string | undefined): void {
    const step = this.#step(call.step_id);
    step.calls.set(call.ticket, this.#use(grant, step));
    this.#waiting.get(keyOf(call))?.();
  }

  #step(step_id: string): DecidedStep {
    const step = this.#steps.get(step_id) ?? { isLast: false, calls: new Map() };
    this.#steps.set(step_id, step);
    return step;
  }

  /** Counts a use. False for a use beyond the last. */
  #use(grant: string | undefined, step: DecidedStep): boolean {
    const limited = grant === undefined ? undefined : this.#byGrant.get(grant);
    if (limited === undefined) return true;
    limited.used += 1;
    if (limited.used === limited.uses) step.isLast = true;
    return limited.used <= limited.uses;
  }
}

function keyOf({ step_id, ticket = 0 }: CallRef): string {
  return `${step_id} ${ticket}`;
}
