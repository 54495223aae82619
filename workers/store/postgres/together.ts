import { type Outcome, pass } from '../../../core/outcome.ts';
import { pause } from '../../async.ts';
import type { PgPool } from './driver.ts';
import type { Query } from './session.ts';

/** A statement for several stores: answers their items, in order. */
export type SharedAct<I, R> = (query: Query, items: readonly I[]) => Promise<readonly R[]>;

/** The connection of a store, as a shared act needs it. */
export interface ActingStore {
  /** Answer of a store that has ended. */
  readonly ended: Outcome<never> | undefined;
  once<T>(act: (query: Query) => Promise<T>): Promise<Outcome<T>>;
}

interface Waiting {
  readonly store: ActingStore;
  readonly item: unknown;
  readonly answer: (answer: Outcome<unknown>) => void;
}

const WAITING = new WeakMap<PgPool, Map<unknown, Waiting[]>>();

/**
 * Runs an act once for the items of all stores over the pool that come in the same turn of the event loop: many logs
 * then cost about as much as one. An act does not wait for an act before it, whose connection may hang. It is not
 * repeated after a failure.
 */
export function together<I, R>(pool: PgPool, store: ActingStore, act: SharedAct<I, R>, item: I): Promise<Outcome<R>> {
  const acts = WAITING.get(pool) ?? new Map<unknown, Waiting[]>();
  WAITING.set(pool, acts);
  return new Promise((resolve) => {
    const waiting: Waiting = { store, item, answer: (answer) => resolve(answer as Outcome<R>) };
    const others = acts.get(act);
    if (others !== undefined) return void others.push(waiting);
    const all = [waiting];
    acts.set(act, all);
    void pause().then(() => {
      acts.delete(act);
      return carryOut(act as SharedAct<unknown, unknown>, all);
    });
  });
}

async function carryOut(act: SharedAct<unknown, unknown>, all: readonly Waiting[]): Promise<void> {
  const open = all.filter(({ store, answer }) => {
    if (store.ended !== undefined) answer(store.ended);
    return store.ended === undefined;
  });
  const items = open.map(({ item }) => item);
  const answers = await open[0]?.store.once((query) => act(query, items));
  if (answers === undefined) return;
  for (const [nth, { answer }] of open.entries()) answer(answers.ok ? pass(answers.value[nth]) : answers);
}

/**
 * Time until the next beat of an interval, in ms: stores that act at intervals act at the same time, so that they act
 * together. It is between an eighth of the interval and an eighth more than the interval.
 */
export function untilBeat(intervalMs: number): number {
  const left = intervalMs - (performance.now() % intervalMs);
  return left < intervalMs / 8 ? left + intervalMs : left;
}
