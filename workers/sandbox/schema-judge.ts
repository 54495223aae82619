import { type Outcome, pass } from '../../core/outcome.ts';
import { judgedFrom, notCompiled, type RealmOutcome } from '../../sandbox/index.ts';
import { type Deferred, deferred } from '../async/deferred.ts';

/** Calls the entry `judgeAll` of the compile realm with a JSON list of schema texts. */
type CallJudge = (texts: string) => Promise<RealmOutcome>;

/** Characters of the schemas of one call: as many as four of the largest schema have. */
const CALL_CHARACTERS = 1 << 18;

interface WaitingSchema {
  readonly text: string;
  readonly judged: Deferred<Outcome<void>>;
}

/**
 * Has schemas judged: their bounds, keywords and references. Schemas that wait at the same time are judged in a single
 * call. A call that reaches a limit says nothing about any of them, so each is then judged in a call of its own.
 */
export class SchemaJudge {
  readonly #call: CallJudge;
  #waiting: WaitingSchema[] = [];
  #isBusy = false;

  constructor(call: CallJudge) {
    this.#call = call;
  }

  /** Judges the canonical text of a schema. Rejects where the realm cannot be reached. */
  judge(text: string): Promise<Outcome<void>> {
    const judged = deferred<Outcome<void>>();
    this.#waiting.push({ text, judged });
    if (!this.#isBusy) void this.#work();
    return judged.promise;
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    // schemas that are registered in the same turn join the first call
    await Promise.resolve();
    while (this.#waiting.length > 0) await this.#judgeTogether(this.#take());
    this.#isBusy = false;
  }

  /** The schemas that have waited longest, as far as they fit into a call. */
  #take(): readonly WaitingSchema[] {
    let characters = 0;
    const end = this.#waiting.findIndex(({ text }, at) => (characters += text.length) > CALL_CHARACTERS && at > 0);
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : end);
  }

  async #judgeTogether(schemas: readonly WaitingSchema[]): Promise<void> {
    try {
      const outcome = await this.#call(JSON.stringify(schemas.map(({ text }) => text)));
      const judged = judgedFrom(schemas.length, outcome);
      if (judged !== undefined) schemas.forEach((each, at) => each.judged.resolve(judged[at] ?? pass(undefined)));
      else if (schemas.length > 1) for (const each of schemas) await this.#judgeTogether([each]);
      else schemas[0]?.judged.resolve(notCompiled(outcome.ok ? NO_ANSWER : outcome));
    } catch (error) {
      for (const { judged } of schemas) judged.reject(error);
    }
  }
}

const NO_ANSWER = { ok: false, kind: 'corrupt', fuel: 0 } as const;
