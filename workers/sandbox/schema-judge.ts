import { type Outcome, pass } from '../../core/outcome.ts';
import { judgedFrom, notCompiled, type RealmOutcome } from '../../sandbox/index.ts';
import { type BatchItem, BatchQueue } from '../async.ts';

/** Calls the entry `judgeAll` of the compile realm with a JSON list of schema texts. */
type CallJudge = (texts: string) => Promise<RealmOutcome>;

type WaitingSchema = BatchItem<string, Outcome<void>>;

/** Characters of the schemas of one call: as many as four of the largest schema have. */
const CALL_CHARACTERS = 1 << 18;

/**
 * Has schemas judged: their bounds, keywords and references. Schemas that wait at the same time are judged in a single
 * call. A call that reaches a limit says nothing about any of them, so each is then judged in a call of its own.
 */
export class SchemaJudge {
  readonly #call: CallJudge;
  readonly #queue = new BatchQueue<string, Outcome<void>>({ sizeOf, work: (schemas) => this.#judgeTogether(schemas) });

  constructor(call: CallJudge) {
    this.#call = call;
  }

  /** Judges the canonical text of a schema. Rejects where the realm cannot be reached. */
  judge(text: string): Promise<Outcome<void>> {
    return this.#queue.add(text);
  }

  async #judgeTogether(schemas: readonly WaitingSchema[]): Promise<void> {
    try {
      const outcome = await this.#call(JSON.stringify(schemas.map(({ item }) => item)));
      const judged = judgedFrom(schemas.length, outcome);
      if (judged !== undefined) schemas.forEach((each, at) => each.result.resolve(judged[at] ?? pass(undefined)));
      else if (schemas.length > 1) for (const each of schemas) await this.#judgeTogether([each]);
      else schemas[0]?.result.resolve(notCompiled(outcome.ok ? NO_ANSWER : outcome));
    } catch (error) {
      for (const { result } of schemas) result.reject(error);
    }
  }
}

/** Number of schemas that fit into a call: the first one always does. */
function sizeOf(schemas: readonly WaitingSchema[]): number {
  let characters = 0;
  const end = schemas.findIndex(({ item }, at) => (characters += item.length) > CALL_CHARACTERS && at > 0);
  return end < 0 ? schemas.length : end;
}

const NO_ANSWER = { ok: false, kind: 'corrupt', fuel: 0 } as const;
