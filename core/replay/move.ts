import type { Label } from '../capability/guard.ts';
import type { LedgerRecord } from '../ledger/record.ts';
import type { RunEffect } from '../run/effect.ts';
import type { RunEvent } from '../run/event.ts';
import type { OpenStep } from '../run/open-step.ts';
import type { RunFacts } from '../run/state.ts';
import { compare, type Player, type Rest } from './player.ts';
import type { Recorded } from './recorded.ts';
import { inStep } from './tape.ts';

/** What a replay cannot do by itself; answered by the event that the run itself would have been answered by. */
export type Ask =
  | {
      readonly type: 'check';
      readonly facts: RunFacts;
      readonly step: number;
      readonly schemas: readonly string[];
      readonly text: string;
    }
  | {
      readonly type: 'execute';
      readonly effect: Extract<RunEffect, { type: 'execute' }>;
      /** The powers' answers, which are inputs. */
      readonly recorded: Recorded;
      /** What those have shown the call. */
      readonly labels: readonly Label[];
    };

/** What the outside answers: the event, or why it does not find out. */
export type Answered = RunEvent | { readonly type: 'unmade'; readonly why: string };

/** How a replay goes on: by events, by a question to the outside, by believing the rest of a step, or not at all. */
export type Move =
  | { readonly events: readonly RunEvent[] }
  | { readonly ask: Ask }
  /** What was asked of the outside stays asked. */
  | { readonly aside: RunEvent }
  | { readonly rest: Rest }
  | { readonly stray: string };

/** A move that asks nobody. */
export type Step = Exclude<Move, { readonly ask: Ask }>;

export type Of<T extends RunEffect['type']> = Extract<RunEffect, { type: T }>;

export function happens(...events: readonly RunEvent[]): Step {
  return { events };
}

export function strays(player: Player): Move {
  return { stray: `a ${recordAt(player).kind} does not follow here` };
}

export function recordAt({ tape, at }: Player): LedgerRecord {
  return tape.records[at] as LedgerRecord;
}

export function openOf(at: Player['state']['at']): Pick<OpenStep, 'drafts' | 'payloads' | 'work'> {
  return 'open' in at ? at.open : { drafts: [], payloads: [] };
}

export const MISSING: Move = { rest: { why: 'what came from outside is not in this file' } };

/** What was decided before the call is compared; what came of it is believed. */
export function believe(player: Player, why: string, until?: number): Step {
  const { drafts, payloads } = openOf(player.state.at);
  const proposal = inStep(player.tape, player.at, 'proposal') ?? lastProposal(player);
  compare(player, drafts, payloads);
  const upTo = until === undefined ? {} : { until };
  return { rest: { why, ...upTo, ...(proposal && { unfinished: { proposal } }) } };
}

function lastProposal({ tape, at }: Player) {
  for (let before = at - 1; before >= 0; before--) {
    const record = tape.records[before];
    if (record?.kind === 'proposal') return record.body;
  }
  return undefined;
}
