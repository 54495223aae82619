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
    const { at, mode, steps, refusalsInRow, said } = world.state;
    expect({ phase: at.phase, mode, steps, refusalsInRow, said: said.length, executed: world.executed.length }).toEqual(
      {
        phase: phase(m),
        mode: m.mode,
        steps: m.steps,
        refusalsInRow: m.refusalsInRow,
        said: m.said,
        executed: m.executed,
      },
    );
    expect(world.ends.at(-1)?.ending.state === m.ending || m.at !== 'over').toBe(true);
    reached.add(m.at === 'over' ? (m.ending ?? '') : m.at);
    if (world.waiting.has('execute')) ran.add(m.name);
    if (m.ending === 'failed') return;
    // Every word is recorded once, as soon as the run comes to rest.
    if (m.at !== 'writing') expect(bodies(world, 'task').length).toBe(m.heard);
    // Every durable proposal has its one durable receipt, but for the one that is on its way.
    const [proposals, receipts] = [bodies(world, 'proposal').length, bodies(world, 'receipt').length];
    if (m.at === 'idle' || m.at === 'model' || m.at === 'over')
      expect([proposals, receipts]).toEqual([m.steps, m.receipts]);
    else expect(m.steps - receipts).toBeLessThanOrEqual(1);
  };
  toString = (): string => this.title;
}
