import { unreachable } from '../assert.ts';
import type { JsonValue } from '../json/value.ts';
import type { Outcome } from '../outcome.ts';
import { parseCatalytic } from './catalytic.ts';
import { parseFemtoclaw } from './femtoclaw.ts';
import type { Dialect, Proposal } from './proposal.ts';
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
