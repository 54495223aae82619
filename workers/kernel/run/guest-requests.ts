import type { ContentPower } from '../../../core/capability/built-in-power.ts';
import type { SchemaVerdict } from '../../../core/capability/check.ts';
import type { PowerAnswer } from '../../../core/capability/power.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import type { ReadArguments, RunEvent } from '../../../core/run/event.ts';
import { type PowerChecks, powerChecks, readRequest } from '../../../core/run/powers/power-text.ts';
import { readChecks } from '../../../core/run/powers/reading.ts';
import { type Deferred, deferred, makeSerialQueue } from '../../async.ts';
import type { CallScope, EffectOf } from './call-scope.ts';

type Verdicts = ReadonlyMap<string, SchemaVerdict>;

const NO_CHECKS: Promise<Verdicts> = Promise.resolve(new Map());

/**
 * Requests of a guest to its run, by ticket: for powers of the page, and for content. Each request becomes an event, and
 * an effect of the run answers it.
 */
export class GuestRequests {
  readonly #scope: CallScope;
  readonly #powers = new Map<number, Deferred<PowerAnswer>>();
  readonly #answered = new Set<number>();
  readonly #reads = new Map<number, Deferred<Outcome<void>>>();
  /** Requests become events in the order in which the guest made them, although their checks take different times. */
  readonly #inOrder = makeSerialQueue();

  constructor(scope: CallScope) {
    this.#scope = scope;
  }

  /** Requests a power. A parked call repeats a request under the same ticket, and then waits for the same answer. */
  async power(name: string, args: string, ticket: number): Promise<string> {
    const before = this.#powers.get(ticket);
    const waiting = before ?? deferred<PowerAnswer>();
    this.#powers.set(ticket, waiting);
    if (before === undefined) await this.#askPower(name, args, ticket);
    const answer = await waiting.promise;
    if (answer.ok) return answer.text;
    throw Object.assign(new Error(answer.error.message), { name: answer.error.name });
  }

  async #askPower(asked: string, list: string, ticket: number): Promise<void> {
    const { host, step, call } = this.#scope;
    const { name, args } = readRequest(asked, list);
    const wanted = powerChecks(host.state(), call.capability, name, args);
    await this.#dispatch(wanted === undefined ? NO_CHECKS : this.check(wanted), (checked) => {
      const { labels } = this.#scope;
      const reads = this.#scope.takeReads();
      return { type: 'power_asked', step, ticket, name, args, checked, labels, reads, now: host.ports.now() };
    });
  }

  /** Requests the permission of a READ. */
  async read(name: ContentPower, ticket: number, args?: ReadArguments): Promise<Outcome<void>> {
    const { host, step } = this.#scope;
    const waiting = deferred<Outcome<void>>();
    this.#reads.set(ticket, waiting);
    await this.#dispatch(args === undefined ? NO_CHECKS : this.check(readChecks(host.state(), args)), (checked) => {
      const { labels } = this.#scope;
      const asked = { type: 'read_asked', step, ticket, name, checked, labels, now: host.ports.now() } as const;
      return args === undefined ? asked : { ...asked, args };
    });
    return waiting.promise;
  }

  /** Dispatches the event of a request once its checks and the requests before it are done. Checks run at once. */
  async #dispatch(checks: Promise<Verdicts>, eventOf: (checked: Verdicts) => RunEvent): Promise<void> {
    // The queue reports a failed check in its turn; until then the failure is not an unhandled rejection.
    checks.catch(() => undefined);
    await this.#inOrder(async () => this.#scope.host.dispatch(eventOf(await checks)));
  }

  async check({ schemas, text, here }: PowerChecks): Promise<Verdicts> {
    if (schemas.length === 0) return here;
    return new Map([...here, ...(await this.#scope.host.ports.schemas.check(schemas, text))]);
  }

  answerPower(ticket: number, answer: PowerAnswer): void {
    this.#answered.add(ticket);
    this.#powers.get(ticket)?.resolve(answer);
  }

  isAnswered(ticket: number): boolean {
    return this.#answered.has(ticket);
  }

  answerRead({ ticket, refusal }: EffectOf<'answer_read'>): void {
    this.#reads.get(ticket)?.resolve(refusal === undefined ? pass(undefined) : { ok: false, refusal });
    this.#reads.delete(ticket);
  }
}
