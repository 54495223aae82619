import type { Exceeded, GuestError } from './details.ts';
import { over, wordsOf } from './refuse.ts';

/** Codes for the end of a run. */
export const RUN_CODES = {
  model_exhausted: {
    class: 'run',
    what: (): string => 'The script has no more proposals',
    todo: 'Start a new run.',
  },
  model_failed: {
    class: 'run',
    what: (d: { readonly error: GuestError }): string => `The model did not answer: ${wordsOf(d.error)}`,
    todo: 'Check the model, then continue the run.',
  },
  runtime_failed: {
    class: 'run',
    what: (d: { readonly reason: string }): string => `The runtime failed: ${d.reason}`,
    todo: 'Open the runtime again, and resume the run.',
  },
  limit_steps: {
    class: 'run',
    what: (d: Exceeded): string => over('Too many steps', 'steps', d),
    todo: 'Start a new run.',
  },
  limit_tokens: {
    class: 'run',
    what: (d: Exceeded): string => over('Too many tokens', 'tokens', d),
    todo: 'Start a new run with a higher limit, or with a shorter task.',
  },
  limit_refusals: {
    class: 'run',
    what: (d: Exceeded): string => over('Too many refusals in a row', 'refusals', d),
    todo: 'Start a new run with other instructions.',
  },
  limit_wall: {
    class: 'run',
    what: (d: Exceeded): string => over('Ran too long', 'ms', d),
    todo: 'Start a new run.',
  },
} as const;
