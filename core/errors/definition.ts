/** Codes for definitions and grants of a program: no model proposed them. */
export const DEFINITION_CODES = {
  definition_invalid: {
    class: 'definition',
    what: (d: { readonly reason: string }): string => `Invalid definition: ${d.reason}`,
    todo: 'Correct the definition.',
  },
  source_refused: {
    class: 'definition',
    what: (d: {
      readonly cause: string;
      readonly reason: string;
      readonly line?: number;
      readonly column?: number;
    }): string => `The source cannot be loaded: ${d.reason}`,
    todo: 'Correct the source.',
  },
  grant_widens: {
    class: 'definition',
    what: (d: { readonly what: string }): string => `A narrower grant cannot have a wider ${d.what}`,
    todo: 'Ask for no more than the grant permits.',
  },
  capability_twice: {
    class: 'definition',
    what: (d: { readonly name: string }): string => `${d.name} is registered already`,
    todo: 'Choose another name.',
  },
} as const;
