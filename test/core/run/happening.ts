import type fc from 'fast-check';
import { expect } from 'vitest';

import { type Model, phase } from './model.ts';
import { bodies, type Outside } from './outside.ts';

/** Phases and endings that a sequence reached. The laws hold only for reached places, so the test compares this set. */
export const reached: Set<string> = new Set<string>();
export const ran: Set<string> = new Set<string>();

/** An event of a run: the phases in which the model expects it, its effect on the model, and the event itself. */
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
    // Every task is recorded once, as soon as the run comes to rest.
    if (m.at !== 'writing') hold([bodies(world, 'task').length], [m.heard]);
    // Every durable proposal has a single durable receipt, except for the proposal in progress.
    const [proposals, receipts] = [bodies(world, 'proposal').length, bodies(world, 'receipt').length];
    if (m.at === 'idle' || m.at === 'model' || m.at === 'over') hold([proposals, receipts], [m.steps, m.receipts]);
    else hold([m.steps - receipts <= 1], [true]);
  };
  toString = (): string => this.title;
}

type Plain = string | number | boolean | undefined;

/** Fails when two lists differ. `expect` runs only then: it takes most of the time when it runs a million times. */
function hold(found: readonly Plain[], wanted: readonly Plain[]): void {
  if (found.length !== wanted.length || found.some((one, at) => one !== wanted[at])) expect(found).toEqual(wanted);
}
