import { unreachable } from '../assert.ts';
import { type Bound, bind, type Registry } from '../capability/registry.ts';
import { decode } from '../json/decode.ts';
import type { JsonValue } from '../json/value.ts';
import type { DecodeLimits } from '../limits.ts';
import { type Outcome, pass } from '../outcome.ts';
import { parseCatalytic } from './catalytic.ts';
import type { Dialect } from './dialect.ts';
import { parseFemtoclaw } from './femtoclaw.ts';
import type { Proposal } from './proposal.ts';
import { parseXct } from './xct.ts';

/** Reads a proposal in the run's dialect. It is chosen per run and never sniffed: another dialect's form is malformed. */
export function parse(dialect: Dialect, value: JsonValue): Outcome<Proposal> {
  switch (dialect) {
    case 'femtoclaw':
      return parseFemtoclaw(value);
    case 'xct':
      return parseXct(value);
    case 'catalytic':
      return parseCatalytic(value);
    default:
      return unreachable(dialect);
  }
}

/** The facts that the first four steps depend on. The same bytes and facts give the same answer, anywhere. */
export interface ReadingFacts {
  readonly dialect: Dialect;
  readonly registry: Registry;
  readonly limits: DecodeLimits;
}

/** A call that is bound to its capability, or a proposal without a call. */
export type Read = { readonly kind: 'call'; readonly call: Bound } | Exclude<Proposal, { kind: 'call' }>;

/** FemtoClaw Protocol 10, steps 1 to 4: decode, top level, form, capability. The first failing step decides. */
export function read(bytes: Uint8Array, facts: ReadingFacts): Outcome<Read> {
  const value = decode(bytes, facts.limits);
  if (!value.ok) return value;
  const proposal = parse(facts.dialect, value.value);
  if (!proposal.ok) return proposal;
  if (proposal.value.kind !== 'call') return pass(proposal.value);
  const bound = bind(proposal.value, facts.registry);
  return bound.ok ? pass({ kind: 'call', call: bound.value }) : bound;
}
