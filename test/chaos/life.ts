import type { ModelPort, Run, Runtime } from '../../workers/api.ts';
import { openRuntime, SallyportError } from '../../workers/node.ts';
import { put } from '../runtime/content/messages.ts';
import { type Dice, pause, pick } from './dice.ts';
import { CAPABILITIES, type DIALECTS, type grantsOf, powersOf, proposal, rulesOf, TEXT } from './world.ts';

/** The choices that hold for all lives of a run. */
export interface Fate {
  readonly roll: Dice;
  readonly grants: ReturnType<typeof grantsOf>;
  readonly guard: boolean;
  readonly ruled: boolean;
  readonly remote: boolean;
  readonly dialect: (typeof DIALECTS)[number];
  /** Each call has a number of its own. */
  next(): number;
}

/** A process over a directory, until it is killed: its later sends are not counted. */
export interface Life {
  readonly runtime: Runtime;
  readonly sent: readonly number[];
  die(): Promise<void>;
}

export async function live({ roll, grants, guard, ruled }: Fate, directory: string): Promise<Life> {
  const sent: number[] = [];
  let isDead = false;
  const powers = powersOf(roll, (n) => void (isDead || sent.push(n)));
  const rules = ruled ? { authorizer: rulesOf(roll) } : {};
  const program = { capabilities: CAPABILITIES, powers, grants, guard, ...rules };
  const runtime = await openRuntime({ store: { directory }, ...program });
  return {
    runtime,
    sent,
    die: async () => {
      isDead = true;
      await runtime.close();
    },
  };
}

export function modelOf({ roll, dialect, next, remote }: Fate): ModelPort {
  return {
    id: 'chaos',
    locality: remote ? { kind: 'remote', origin: 'https://models.example' } : { kind: 'local' },
    async propose(_, { signal }) {
      if (roll() < 0.2) await pause(roll() * 10);
      signal.throwIfAborted();
      if (roll() < 0.01) throw new Error('out of order');
      return { text: proposal(roll, dialect, next()) };
    },
  };
}

/** Does random actions on a run, until the run ends or `isEnough` returns true. */
export async function drive(fate: Fate, { runtime }: Life, run: Run, isEnough: () => boolean): Promise<void> {
  while (!isEnough() && run.view.end === undefined) {
    await something(fate, runtime, run);
    await pause(fate.roll() * 3);
  }
}

async function something({ roll, next }: Fate, runtime: Runtime, run: Run): Promise<void> {
  const { pending, consent, mode } = run.view;
  const kind = roll();
  if (consent !== undefined && kind < 0.6)
    return run.answer(consent.digest, roll() < 0.95 ? { approved: true } : { approved: false, reason: 'no' });
  if (pending !== undefined && kind < 0.6) return run.answer(pending.digest, answer(roll));
  // A task that is heard behind the step is not awaited.
  if (kind < 0.03) return void run.say(`more ${next()}`).catch(() => undefined);
  if (kind < 0.06) return run.pause();
  if (kind < 0.12) return void run.step().catch(() => undefined);
  if (kind < 0.13) return runtime.grants.revoke(pick(roll, await runtime.grants.list()).id);
  if (kind < 0.133) return runtime.capabilities.disable(pick(roll, CAPABILITIES).name);
  if (kind < 0.136) return run.abort('chaos');
  // A step of the run may be undone, and a file may be replaced.
  if (kind < 0.146) return void (await runtime.content.undo(run.id, Math.ceil(roll() * run.view.steps)).catch(refused));
  if (kind < 0.156) return put(runtime, { 'a.md': TEXT });
  if (mode === 'paused' && pending === undefined) return void (await run.run());
}

function refused(error: unknown): void {
  if (!(error instanceof SallyportError)) throw error;
}

function answer(roll: Dice) {
  const kind = roll();
  if (kind < 0.2) return { approved: false, reason: 'no' } as const;
  if (kind < 0.75) return { approved: true } as const;
  return { approved: true, standing: { args: pick(roll, ['any', 'exact'] as const), uses: 2 } } as const;
}
