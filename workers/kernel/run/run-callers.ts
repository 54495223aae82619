import { refuse } from '../../../core/errors.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import type { RunState } from '../../../core/run/state.ts';
import { makeWaiters, type Waiters } from '../../async.ts';

/** Callers that wait for a run: for its end, for the record of a revocation, or for the record of a task. */
export class RunCallers {
  readonly ended: Waiters<void> = makeWaiters();
  readonly rest: Waiters<void> = makeWaiters();
  readonly revoked: Waiters<void> = makeWaiters();
  readonly said: Waiters<Outcome<void>> = makeWaiters();

  /** Answers the callers whose wait is over in this state. Each wait also ends with the run. */
  settle(state: RunState, isOver: boolean, isLeft: boolean): void {
    const { facts, at, revoking, pendingNotes, pendingTasks } = state;
    if (isOver || isLeft || isAtRest(state)) this.rest.settle();
    if (isOver) this.ended.settle();
    if (isOver || isLeft || (revoking === undefined && pendingNotes === 0)) this.revoked.settle();
    if (isLeft) this.said.settle(refuse('run_open', { run_id: facts.run_id }));
    else if (isOver) this.said.settle(refuse('run_sealed', {}));
    else if (pendingTasks.length === 0 && at.phase !== 'MEMORY_COMMITTING') this.said.settle(pass(undefined));
  }
}

/** True where no step is at work and no write is in flight: nothing is being carried out. */
export function isAtRest({ at }: RunState): boolean {
  switch (at.phase) {
    case 'PROTOCOL_VALIDATING':
    case 'AUTHORIZATION_EVALUATING':
    case 'CAPABILITY_EXECUTING':
    case 'MEMORY_COMMITTING':
      return false;
    case 'AWAITING_APPROVAL':
      return at.about !== 'power';
    default:
      return true;
  }
}
