import type { LedgerRecord } from '../../../core/ledger/record.ts';

/** A grant of the configuration with `uses`, by the text of its terms: it outlives the grants that runs have of it. */
interface Limited {
  readonly uses: number;
  used: number;
}

/** A step whose call was authorized; `isOver` where a grant had no use left for it. */
interface DecidedStep {
  isOver: boolean;
  /** It has taken the last use of a grant. */
  isLast: boolean;
  /** Calls of powers that were counted when they were issued. */
  readonly tickets: Set<number>;
}

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
      this.#use(body.grant, this.#step(body.step_id));
      this.#waiting.get(body.step_id)?.();
    } else if (kind === 'approval' && body.event === 'answered') {
      // a use of a standing answer is a use of its parent
      const parent = body.grant?.parent === undefined ? undefined : this.#byGrant.get(body.grant.parent);
      if (body.grant !== undefined && parent !== undefined) this.#byGrant.set(body.grant.id, parent);
    } else if (kind === 'power' && body.event === 'issued') {
      const step = this.#step(body.step_id);
      step.tickets.add(body.ticket);
      this.#use(body.grant, step);
    } else if (kind === 'receipt') {
      const step = this.#step(body.receipt.step_id);
      // reading calls of powers stand in the receipt alone
      for (const { ticket, decision, grant } of body.evidence.powers ?? [])
        if (decision === 'AUTHORIZED' && !step.tickets.has(ticket)) this.#use(grant, step);
      this.#steps.delete(body.receipt.step_id);
      // not before: a grant that is revoked ends the calls that it has permitted
      if (step.isLast) this.#usedUp();
    }
  }

  /** Resolves with whether the grants have had uses left for what was decided in a step. */
  async permits(step_id: string): Promise<boolean> {
    const isRead = new Promise<void>((resolve) => {
      if (this.#steps.has(step_id)) return resolve();
      const timer = setTimeout(resolve, READ_MS);
      this.#waiting.set(step_id, () => {
        clearTimeout(timer);
        resolve();
      });
    });
    await isRead;
    this.#waiting.delete(step_id);
    return this.#steps.get(step_id)?.isOver === false;
  }

  #step(step_id: string): DecidedStep {
    const step = this.#steps.get(step_id) ?? { isOver: false, isLast: false, tickets: new Set() };
    this.#steps.set(step_id, step);
    return step;
  }

  #use(grant: string | undefined, step: DecidedStep): void {
    const limited = grant === undefined ? undefined : this.#byGrant.get(grant);
    if (limited === undefined) return;
    limited.used += 1;
    if (limited.used > limited.uses) step.isOver = true;
    if (limited.used === limited.uses) step.isLast = true;
  }
}
