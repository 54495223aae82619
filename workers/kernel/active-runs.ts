import type { Grant, Revocation } from '../../core/capability/policy.ts';
import { refuse } from '../../core/errors.ts';
import { optionFault } from '../../core/option.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import { answerOf } from '../../core/run/authorize/question.ts';
import { isAsking } from '../../core/run/authorize/signature.ts';
import type { QuestionAnswer, RunEvent } from '../../core/run/event.ts';
import type { ApprovalAnswer, EditedQuestion } from '../api.ts';
import { checkSignature } from '../auditor/assertion.ts';
import type { AskingRun } from './api.ts';
import type { RunLoop } from './run/run-loop.ts';
import { NO_TELEMETRY, type TelemetryBatch } from './run/telemetry.ts';
import { taskKind } from './start-request.ts';

/** Finished runs whose loops stay, with their telemetry. An older run can be opened again from its records. */
const FINISHED = 16;

/** The loops of this kernel's runs: all active loops, and the newest finished loops. */
export class ActiveRuns {
  readonly loops: Map<string, RunLoop> = new Map();
  /** Set by `close`: no run is opened any more. */
  isClosed = false;
  #isSuspending = false;
  readonly #forgotten: (run_id: string) => void;
  /** The last yes of each run whose checks are under way. */
  readonly #yeses = new WeakMap<RunLoop, Promise<unknown>>();

  /** @param forgotten called for each run whose loop was dropped: it has finished, or was suspended. */
  constructor(forgotten: (run_id: string) => void) {
    this.#forgotten = forgotten;
  }

  open(loop: RunLoop): RunLoop {
    this.#forgetFinished();
    const { run_id } = loop.facts;
    // a run that is opened again is the youngest
    this.loops.delete(run_id);
    this.loops.set(run_id, loop);
    loop.watchClock();
    return loop;
  }

  #forgetFinished(): void {
    const finished = [...this.loops.values()].filter(({ isFinished, isAwaited }) => isFinished && !isAwaited);
    for (const { facts } of finished.slice(0, -FINISHED)) {
      this.loops.delete(facts.run_id);
      this.#forgotten(facts.run_id);
    }
  }

  dropIfOver(run_id: string): void {
    if (this.loops.get(run_id)?.isOver === true) this.loops.delete(run_id);
  }

  async dispatch(run_id: string, event: RunEvent): Promise<void> {
    this.loops.get(run_id)?.dispatch(event);
  }

  abort(run_id: string, message: string): Promise<void> {
    return this.dispatch(run_id, { type: 'stop', ending: { state: 'aborted', message } });
  }

  /** Closes a session. */
  finish(run_id: string, message: string | undefined): Promise<void> {
    const ending = { state: 'completed', ...(message !== undefined && { message }) } as const;
    return this.dispatch(run_id, { type: 'stop', ending });
  }

  /** Yeses count in the order in which they come, however long their checks take. A no waits for none of them. */
  async answer(run_id: string, digest: string, said: ApprovalAnswer): Promise<Outcome<void>> {
    const answer = answerOf(said);
    const loop = this.loops.get(run_id);
    if (!answer.ok) return answer;
    if (loop === undefined) return refuse('run_absent', { run_id });
    if (!answer.value.approved) return loop.answer(digest, answer.value, undefined);
    const { signed, instead } = answer.value;
    const waits = this.#yeses.has(loop) || signed !== undefined || instead !== undefined;
    // a yes with nothing to check counts at once
    if (!waits) return loop.answer(digest, answer.value, undefined);
    return this.#inTurn(loop, () => sayYes(loop, digest, answer.value));
  }

  #inTurn(loop: RunLoop, say: () => Promise<Outcome<void>>): Promise<Outcome<void>> {
    const said = (this.#yeses.get(loop) ?? Promise.resolve()).then(say, say);
    this.#yeses.set(loop, said);
    const end = () => this.#yeses.get(loop) === said && this.#yeses.delete(loop);
    said.then(end, end);
    return said;
  }

  async edit(run_id: string, digest: string, args: string): Promise<Outcome<EditedQuestion>> {
    return this.loops.get(run_id)?.edit(digest, args) ?? refuse('run_absent', { run_id });
  }

  /** The run that asks this question, or has asked it, with the question that it waits for now. */
  async asking(digest: string): Promise<Outcome<AskingRun>> {
    const loop = [...this.loops.values()].find(({ state }) => isAsking(state, digest));
    if (loop === undefined) return refuse('question_unknown', {}, { step: 'approve' });
    const { facts, pending } = loop;
    return pass({ run_id: facts.run_id, ...(pending && { pending }) });
  }

  async say(run_id: string, task: string): Promise<Outcome<void>> {
    const loop = this.loops.get(run_id);
    if (loop?.facts.caller) return refuse('option_invalid', { name: 'task', wants: 'a run with a model' });
    const fault = optionFault({ task }, { task: taskKind(loop?.facts.limits ?? {}) }, ['task']);
    if (fault !== undefined) return fault;
    return loop?.say(task) ?? refuse('run_absent', { run_id });
  }

  async telemetry(run_id: string, seq: number, reader?: 'person'): Promise<TelemetryBatch> {
    return this.loops.get(run_id)?.telemetry.read(seq, reader) ?? NO_TELEMETRY;
  }

  /** Revokes permissions in all runs: their later decisions do not have them. */
  async revoke(revocation: Revocation): Promise<void> {
    await Promise.all([...this.loops.values()].map((loop) => loop.revoke(revocation)));
  }

  /** The standing answers of all runs that may go on. */
  standing(): readonly Grant[] {
    return [...this.loops.values()]
      .filter(({ isFinal }) => !isFinal)
      .flatMap(({ state }) => state.policy.grants.filter(({ parent }) => parent !== undefined));
  }

  /** True if a run that is not over has a capability of this name in its registry. */
  usesCapability(name: string): boolean {
    return [...this.loops.values()].some(({ isOver, facts }) => !isOver && facts.registry.capabilities.has(name));
  }

  /** Aborts each run where none of its calls is under way. */
  async drain(): Promise<void> {
    await Promise.all([...this.loops.values()].map((loop) => loop.rest.then(() => end(loop))));
  }

  /** Lets each open run go behind the step at work, without a seal: a later kernel goes on from its records. */
  async suspend(): Promise<void> {
    this.isClosed = true;
    this.#isSuspending = true;
    const open = [...this.loops.values()].filter(({ isOver }) => !isOver);
    await Promise.all(open.map((loop) => this.#suspend(loop)));
  }

  async #suspend(loop: RunLoop): Promise<void> {
    await loop.handOver('suspended');
    const { run_id } = loop.facts;
    if (this.loops.get(run_id) !== loop) return;
    this.loops.delete(run_id);
    this.#forgotten(run_id);
  }

  /** Aborts all runs, and resolves when they are over. Runs that are being suspended are let go at once instead. */
  async close(): Promise<void> {
    this.isClosed = true;
    const loops = [...this.loops.values()];
    if (this.#isSuspending) {
      for (const loop of loops) loop.hurry();
      return this.suspend();
    }
    loops.forEach(end);
    await Promise.all(loops.map((loop) => loop.over));
  }
}

async function sayYes(loop: RunLoop, digest: string, answer: QuestionAnswer): Promise<Outcome<void>> {
  const isRight = await isRightlySigned(answer);
  if (answer.approved && answer.instead !== undefined) {
    const edited = await loop.edit(digest, answer.instead.args);
    if (!edited.ok) return edited;
  }
  return loop.answer(digest, answer, isRight);
}

/** The fact about the signature of an answer; absent where it has none. */
async function isRightlySigned(answer: QuestionAnswer): Promise<boolean | undefined> {
  if (!answer.approved || answer.signed === undefined) return undefined;
  return (await checkSignature(answer.signed)) === 'right';
}

function end(loop: RunLoop): void {
  loop.dispatch({ type: 'stop', ending: { state: 'aborted', message: 'closed' } });
}
