import type fc from 'fast-check';
import { expect } from 'vitest';

import { type Model, phase } from './model.ts';
import { bodies, type Outside } from './outside.ts';

/** The laws say nothing of a place that no sequence gets to. */
export const reached: Set<string> = new Set<string>();
export const ran: Set<string> = new Set<string>();

/** One thing that happens to a run: where the model expects it, what the model makes of it, and the event itself. */
export class Happening implements fc.Command<Model, Outside> {
  private readonly title: string;
  private readonly expected: (m: Model) => boolean;
  private readonly model: (m: Model) => void;
  private readonly real: (world: Outside) => void;
  constructor(
    title: string,
    expected: (m: Model) => boolean,
    model: (m: Model) => void,
    real: (world: Outside) => void,
  ) {
    this.title = title;
    this.expected = expected;
    this.model = model;
    this.real = real;
  }
  check = (m: Readonly<Model>): boolean => this.expected(m as Model);
  run = (m: Model, world: Outside): void => {
    this.model(m);
    this.real(world);
    const { at, mode, steps, refusalsInRow, pendingTasks } = world.state;
    hold(
      [at.phase, mode, steps, refusalsInRow, pendingTasks.length, world.executed.length],
      [phase(m), m.mode, m.steps, m.refusalsInRow, m.said, m.executed],
    );
    if (m.at === 'over') hold([world.ends.at(-1)?.ending.state], [m.ending]);
    reached.add(m.at === 'over' ? (m.ending ?? '') : m.at);
    if (world.waiting.has('execute')) ran.add(m.name);
    if (m.ending === 'failed') return;
    // Every word is recorded once, as soon as the run comes to rest.
    if (m.at !== 'writing') hold([bodies(world, 'task').length], [m.heard]);
    // Every durable proposal has its one durable receipt, but for the one that is on its way.
    const [proposals, receipts] = [bodies(world, 'proposal').length, bodies(world, 'receipt').length];
    if (m.at === 'idle' || m.at === 'model' || m.at === 'over') hold([proposals, receipts], [m.steps, m.receipts]);
    else hold([m.steps - receipts <= 1], [true]);
  };
  toString = (): string => this.title;
}

type Plain = string | number | boolean | undefined;

/** Fails where two lists differ. `expect` is asked only then: asked a million times, it takes most of the time. */
function hold(found: readonly Plain[], wanted: readonly Plain[]): void {
  if (found.length !== wanted.length || found.some((one, at) => one !== wanted[at])) expect(found).toEqual(wanted);
}
