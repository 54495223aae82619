import type { RunLimitOf } from '../limits.ts';
import type { Ending } from './event.ts';
import type { RunState } from './state.ts';

/** A limit of a run that is compared with a count of the run. */
interface CountedLimit {
  readonly code: 'limit_steps' | 'limit_refusals' | 'limit_tokens';
  /** Compared before the model is asked, or behind the receipt of a refused step. */
  readonly at: 'ask' | 'receipt';
  count(state: RunState): number;
}

const COUNTED: { readonly [L in RunLimitOf<'count'>]: CountedLimit } = {
  steps: { code: 'limit_steps', at: 'ask', count: ({ steps, facts }) => steps + (facts.carried?.steps ?? 0) },
  tokens: { code: 'limit_tokens', at: 'ask', count: ({ tokens }) => (tokens?.input ?? 0) + (tokens?.output ?? 0) },
  refusalsInRow: { code: 'limit_refusals', at: 'receipt', count: ({ refusalsInRow }) => refusalsInRow },
};

const NAMES = Object.keys(COUNTED) as (keyof typeof COUNTED)[];

/** The end of a run that has reached one of its limits; undefined while it may go on. */
export function limitReached(state: RunState, at: CountedLimit['at']): Ending | undefined {
  const { limits } = state.facts;
  const reached = NAMES.find((name) => {
    const { [name]: limit } = limits;
    return COUNTED[name].at === at && limit !== undefined && COUNTED[name].count(state) >= limit;
  });
  return reached && { state: 'limit', code: COUNTED[reached].code };
}
