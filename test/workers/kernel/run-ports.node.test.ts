import { expect, it } from 'vitest';
import { pass } from '../../../core/outcome.ts';
import type { RunView } from '../../../workers/api.ts';
import { kernelAt } from '../../../workers/client/kernel-port.ts';
import type { Kernel } from '../../../workers/kernel/api.ts';
import { servedKernel } from '../../../workers/kernel/run-ports.ts';
import { portOf } from '../../../workers/lock/realm-port.ts';
import type { RunListener } from '../../../workers/ports.ts';

const IDLE: RunView = { run_id: 'r', dialect: 'xct', phase: 'IDLE', mode: 'paused', steps: 0, records: 1 };

/** The phases that a page hears of while a kernel tells `views` in a single turn of its event loop. */
async function heard(...views: readonly RunView[]): Promise<readonly string[]> {
  const start = (...[, , listener]: [unknown, unknown, RunListener]) => {
    for (const view of views) listener({ view, records: [] });
    return Promise.resolve(pass(undefined));
  };
  const port = portOf(servedKernel({ start } as unknown as Kernel));
  const phases: string[] = [];
  const proposer = { propose: () => new Promise<never>(() => undefined), cancel: () => undefined };
  await kernelAt(port).start({} as never, proposer, ({ view }) => phases.push(view.phase));
  await expect.poll(() => phases.at(-1)).toBe(views.at(-1)?.phase);
  port.close();
  return phases;
}

it('phases of a frame cross as a single update, the last of them also by itself', async () => {
  const asked: RunView = { ...IDLE, phase: 'INPUT_RECEIVED' };
  const called: RunView = { ...IDLE, phase: 'CAPABILITY_EXECUTING' };
  const stored: RunView = { ...IDLE, phase: 'MEMORY_COMMITTING' };
  expect(await heard(IDLE, asked, called, stored, IDLE)).toEqual(['IDLE', 'IDLE']);
  expect(await heard(IDLE, asked, called)).toEqual(['IDLE', 'CAPABILITY_EXECUTING']);
});

it('a step that begins and ends within a frame crosses as its end', async () => {
  const asked: RunView = { ...IDLE, phase: 'INPUT_RECEIVED', mode: 'stepping' };
  expect(await heard(IDLE, asked, { ...IDLE, steps: 1 })).toEqual(['IDLE', 'IDLE']);
  expect(await heard(IDLE, asked)).toEqual(['IDLE', 'INPUT_RECEIVED']);
});

it('a pause, a question, a wait and an end cross at once, and so does what follows a question', async () => {
  const asked: RunView = { ...IDLE, phase: 'INPUT_RECEIVED' };
  const running: RunView = { ...asked, mode: 'running' };
  const waiting: RunView = { ...asked, waiting: { message: 'busy', since: 0, failures: 1 } };
  const question = { ...asked, phase: 'AWAITING_APPROVAL', pending: {} } as RunView;
  const called: RunView = { ...IDLE, phase: 'CAPABILITY_EXECUTING' };
  expect(await heard(running, asked, question, called)).toEqual([
    asked.phase,
    asked.phase,
    question.phase,
    called.phase,
  ]);
  expect(await heard(IDLE, waiting, asked)).toEqual(['IDLE', waiting.phase, asked.phase]);
});
