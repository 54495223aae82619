import type { Exceeded, GuestError, SchemaIssue } from './details.ts';
import { firstOf, over } from './refuse.ts';

/** Codes for a result that is refused. */
export const OUTPUT_CODES = {
  /** `rule`: the kind of value that JSON cannot say, or the refusal's code; `error`: the guest's own words. */
  result_not_json: {
    class: 'output',
    what: (d: { readonly rule: string; readonly error?: GuestError }): string =>
      `The capability returned something that is not JSON (${d.rule})`,
    todo: 'Use another capability.',
  },
  result_schema: {
    class: 'output',
    what: (d: { readonly issues: readonly SchemaIssue[] }): string => `Result refused: ${firstOf(d.issues)}`,
    todo: 'Use another capability.',
  },
  bytes_out_exceeded: {
    class: 'output',
    what: (d: Exceeded): string => over('Result too long', 'bytes', d),
    todo: 'Ask for a smaller result.',
  },
  reply_omitted: {
    class: 'output',
    what: (d: Exceeded): string => over('The answer has no room in the context', 'bytes', d),
    todo: 'Ask for a smaller result.',
  },
  output_missing: {
    class: 'output',
    what: (d: { readonly name: string }): string => `The required output ${d.name} was not made`,
    todo: 'Name an operation that yields it.',
  },
} as const;
