import type { CallLimits } from '../../core/limits.ts';
import { ESCAPES } from '../../web/playground/breakout/escapes.ts';
import { HOSTILE } from '../sandbox/hostile-programs.ts';
import { asSource, PROGRAMS } from '../sandbox/programs.ts';
import { FIXES } from './fixes.ts';

/** A guest, and where it comes from. */
export interface Program {
  /** With the table that it comes from, such as `hostile: infinite loop`. */
  readonly name: string;
  readonly source: string;
  readonly limits: Partial<CallLimits>;
  /** Native code without a poll in the engine of the product: only the end of its thread ends it. */
  readonly hangs?: boolean;
}

const LIMITS = { fuel: 4_000_000, deadlineMs: 300_000 };
const evaluating = (program: string) =>
  `export default () => { const value = (0, eval)(${JSON.stringify(program)}); return value === undefined ? null : value; }`;

export const fixName = (upstream: string): string => `fix: ${upstream}`;

export const ALL: readonly Program[] = [
  ...PROGRAMS.map(([name, body]) => ({ name: `ordinary: ${name}`, source: asSource(body), limits: {} }) as const),
  ...HOSTILE.map(
    ([name, end, program]) =>
      ({ name: `hostile: ${name}`, source: evaluating(program), limits: LIMITS, hangs: end === 'hang' }) as const,
  ),
  ...ESCAPES.map(
    ({ slug, source, limits = {}, stops }) =>
      ({ name: `break out: ${slug}`, source, limits, hangs: stops === 'hang_killed' }) as const,
  ),
  ...FIXES.map(
    ({ upstream, program }) => ({ name: fixName(upstream), source: evaluating(program), limits: LIMITS }) as const,
  ),
];
