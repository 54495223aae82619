import type { Phase } from '../../../core/run/state.ts';

/** A small model of a run: only its place and its counts, without records, bytes and gates. */
export interface Model {
  at: 'new' | 'writing' | 'idle' | 'model' | 'checking' | 'person' | 'calling' | 'checking_result' | 'over';
  /** Purpose of the write in flight. */
  next: 'idle' | 'person' | 'call' | 'end';
  mode: 'paused' | 'stepping' | 'running';
  due: boolean;
  /** Tasks that wait until the run comes to rest. */
  said: number;
  stopping: boolean;
  ending: 'completed' | 'aborted' | 'failed' | 'limit' | undefined;
  steps: number;
  refusalsInRow: number;
  receipts: number;
  /** Tasks that are recorded, or being written. */
  heard: number;
  executed: number;
  name: string;
  onceUsed: boolean;
  readonly labels: Set<'private' | 'untrusted'>;
  /** Names that a standing answer covers, and whether untrusted data had been read when a person gave it. */
  readonly standing: Map<string, boolean>;
  /** Grants that were revoked, and grants whose revocation waits until it can be recorded. */
  readonly revoked: Set<string>;
  readonly revoking: Set<string>;
}

export const LIMITS = { steps: 15, refusalsInRow: 4 } as const;

export const fresh = (): Model => ({
  at: 'new', next: 'idle', mode: 'paused', due: false, said: 0, stopping: false, ending: undefined, steps: 0,
  refusalsInRow: 0, receipts: 0, heard: 0, executed: 0, name: '', onceUsed: false, labels: new Set(), standing: new Map(), revoked: new Set(), revoking: new Set(),
}); // biome-ignore format: one glance

export function write(m: Model, next: Model['next'], ending = m.ending): void {
  Object.assign(m, { at: 'writing', next, ending });
}

export function askModel(m: Model): void {
  if (m.steps < LIMITS.steps) m.at = 'model';
  else write(m, 'end', 'limit');
}

function rest(m: Model): void {
  if (m.stopping) return write(m, 'end', 'aborted');
  if (m.said > 0) return hear(m);
  m.at = 'idle';
  if (m.mode === 'running' || m.due) askModel(m);
  else m.mode = 'paused';
  m.due = false;
}

/** Records revocations that came behind a seal, together with the next task. */
export function hear(m: Model): void {
  m.heard += m.said;
  m.said = 0;
  write(m, 'idle', undefined);
  for (const name of m.revoking) m.revoked.add(name);
}

/** Every proposal passes this function once. */
export function receipt(m: Model, refused: boolean, ending?: Model['ending']): void {
  m.receipts++;
  m.refusalsInRow = refused ? m.refusalsInRow + 1 : 0;
  if (ending !== undefined) return write(m, 'end', ending);
  if (m.stopping) return write(m, 'end', 'aborted');
  if (m.refusalsInRow >= LIMITS.refusalsInRow) return write(m, 'end', 'limit');
  write(m, 'idle');
}

export function start(m: Model): void {
  if (m.name === 'once') m.onceUsed = true;
  if (m.name === 'write' || m.name === 'send') write(m, 'call');
  else execute(m);
}

function execute(m: Model): void {
  m.at = 'calling';
  m.executed++;
}

const REFUSED = ['off', 'alone', 'denied', 'expired'];

/** `where` is the answer of the schema of a constraint for the arguments; undefined when it could not answer. */
export function decide(m: Model, where?: boolean): void {
  const { name, labels, standing } = m;
  if (isRevoked(m) || REFUSED.includes(name) || (name === 'once' && m.onceUsed)) return receipt(m, true);
  if ((name === 'narrow' && where !== true) || (name === 'forbidden' && where !== false)) return receipt(m, true);
  const guarded = (name === 'write' || name === 'send') && labels.has('untrusted');
  const thisCall = guarded && name === 'send' && labels.has('private');
  const isCovered = guarded ? standing.get(name) === true : standing.has(name);
  if (thisCall || ((guarded || name === 'asked') && !isCovered)) write(m, 'person');
  else start(m);
}

/** A standing answer ends with the grant that asked. */
export function isRevoked({ name, revoked }: Model): boolean {
  return revoked.has(name);
}

/** A standing answer that is given later than another stays beside it. */
export function answerForTheRun({ name, labels, standing }: Model): void {
  standing.set(name, labels.has('untrusted') || standing.get(name) === true);
}

export function acknowledged(m: Model): void {
  if (m.next === 'end') end(m);
  else if (m.next === 'idle') rest(m);
  else if (m.stopping) receipt(m, true, 'aborted');
  else if (m.next === 'person') m.at = 'person';
  else if (m.revoked.has(m.name)) receipt(m, true);
  else execute(m);
}

/** A completed turn is followed by the next turn when a task waits and the run was not stopped. */
function end(m: Model): void {
  if (m.ending === 'completed' && m.said > 0 && !m.stopping) return hear(m);
  Object.assign(m, { at: 'over', said: 0, mode: 'paused', stopping: false, due: false });
}

export function phase({ at, next, ending }: Model): Phase {
  switch (at) {
    case 'writing':
      return next === 'person'
        ? 'AUTHORIZATION_EVALUATING'
        : next === 'call'
          ? 'CAPABILITY_EXECUTING'
          : 'MEMORY_COMMITTING';
    case 'over':
      return ending === 'completed' ? 'COMPLETED' : 'SHUTDOWN';
    default:
      return PHASES[at];
  }
}

const PHASES = {
  new: 'INITIALIZING',
  idle: 'IDLE',
  model: 'INPUT_RECEIVED',
  checking: 'PROTOCOL_VALIDATING',
  person: 'AWAITING_APPROVAL',
  calling: 'CAPABILITY_EXECUTING',
  checking_result: 'CAPABILITY_EXECUTING',
} as const;
