import type { Phase } from '../../../core/run/state.ts';

/** FemtoClaw 10, sections 4 to 13: the phases that may follow each phase. */
export const SPECIFIED: { readonly [P in Phase]: readonly Phase[] } = {
  INITIALIZING: ['IDLE', 'ERROR'],
  IDLE: ['INPUT_RECEIVED', 'SHUTDOWN'],
  INPUT_RECEIVED: ['PROTOCOL_VALIDATING', 'ERROR'],
  PROTOCOL_VALIDATING: ['AUTHORIZATION_EVALUATING', 'ERROR'],
  AUTHORIZATION_EVALUATING: ['CAPABILITY_EXECUTING', 'ERROR'],
  AWAITING_APPROVAL: [],
  CAPABILITY_EXECUTING: ['MEMORY_COMMITTING', 'ERROR'],
  MEMORY_COMMITTING: ['COMPLETED', 'ERROR'],
  COMPLETED: ['IDLE'],
  ERROR: ['IDLE', 'SHUTDOWN'],
  SHUTDOWN: [],
};

/** Steps of the run that FemtoClaw does not list, with their reason: mostly that every ending is recorded. */
export const DEVIATIONS: readonly (readonly [from: Phase, to: Phase, why: string])[] = [
  [
    'PROTOCOL_VALIDATING',
    'MEMORY_COMMITTING',
    'Message form has no legal path in FemtoClaw; a refusal is recorded on the same way.',
  ],
  ['AUTHORIZATION_EVALUATING', 'AWAITING_APPROVAL', 'A person decides.'],
  ['AWAITING_APPROVAL', 'CAPABILITY_EXECUTING', 'The person said yes and the policy still agrees.'],
  ['AWAITING_APPROVAL', 'MEMORY_COMMITTING', 'The person said no, or the run was stopped.'],
  ['CAPABILITY_EXECUTING', 'AWAITING_APPROVAL', 'A running call asks for a power, and a person decides that, too.'],
  ['AWAITING_APPROVAL', 'AUTHORIZATION_EVALUATING', 'The person said yes; the next operation is weighed.'],
  ['AWAITING_APPROVAL', 'ERROR', 'The ledger was lost.'],
  ['AUTHORIZATION_EVALUATING', 'MEMORY_COMMITTING', 'A denial is a receipt before it is an answer.'],
  ['INITIALIZING', 'MEMORY_COMMITTING', 'The configuration is the first record.'],
  ['IDLE', 'MEMORY_COMMITTING', 'A task, a consent or the seal is written.'],
  ['IDLE', 'ERROR', 'The ledger was lost.'],
  ['INPUT_RECEIVED', 'MEMORY_COMMITTING', 'The model failed or the run was stopped: the seal is written.'],
  ['MEMORY_COMMITTING', 'IDLE', 'A step is over and the run is not: COMPLETED is the end of a run.'],
  ['MEMORY_COMMITTING', 'INPUT_RECEIVED', 'Consent is recorded: the model is asked.'],
  ['MEMORY_COMMITTING', 'MEMORY_COMMITTING', 'A record is durable and the seal follows.'],
  ['MEMORY_COMMITTING', 'AWAITING_APPROVAL', 'The question of consent is durable and put to a person.'],
  ['COMPLETED', 'MEMORY_COMMITTING', 'The next word to a run that completed is written down first.'],
  ['MEMORY_COMMITTING', 'SHUTDOWN', 'The seal of a run that did not complete is durable.'],
];

const edges = new Set([
  ...Object.entries(SPECIFIED).flatMap(([from, list]) => list.map((to) => `${from} ${to}`)),
  ...DEVIATIONS.map(([from, to]) => `${from} ${to}`),
]);

/** Phases to which the run may return: for the next operation of a message, or for the schema of the result. */
const AGAIN: ReadonlySet<Phase> = new Set(['PROTOCOL_VALIDATING', 'AUTHORIZATION_EVALUATING', 'CAPABILITY_EXECUTING']);

/** True if each step of the way is allowed. Two equal phases in a row are no step. */
export function legal(way: readonly Phase[]): boolean {
  return way.every((to, at) => at === 0 || edges.has(`${way[at - 1]} ${to}`) || (to === way[at - 1] && AGAIN.has(to)));
}
