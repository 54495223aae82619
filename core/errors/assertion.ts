/** Codes for an answer that does not count: a signed yes, or a yes to an edited call. The question stays open. */
export const ASSERTION_CODES = {
  assertion_missing: {
    class: 'authorization',
    what: (): string => 'The grant wants a signed yes, and this one is not signed',
    todo: 'Sign with a passkey that the grant names.',
  },
  assertion_repeated: {
    class: 'authorization',
    what: (d: { readonly name: string }): string => `${d.name} has signed this answer already`,
    todo: 'Have another person sign that the grant names.',
  },
  assertion_form: {
    class: 'authorization',
    what: (d: { readonly reason: string }): string => `The signed answer cannot be read: ${d.reason}`,
    todo: 'Sign again.',
  },
  assertion_key: {
    class: 'authorization',
    what: (): string => 'The answer is signed with a passkey that the grant does not name',
    todo: 'Sign with a passkey that the grant names.',
  },
  assertion_challenge: {
    class: 'authorization',
    what: (): string => 'The signature is for another question, another definition or another answer',
    todo: 'Sign the answer to this question.',
  },
  assertion_origin: {
    class: 'authorization',
    what: (d: { readonly origin: string; readonly wanted: string }): string =>
      `The answer was signed on a page of ${d.origin}, and the grant names ${d.wanted}`,
    todo: 'Sign on a page of the origin that the grant names, or enrol the passkey there.',
  },
  assertion_rp: {
    class: 'authorization',
    what: (d: { readonly wanted: string }): string => `The signature is for another site than ${d.wanted}`,
    todo: 'Sign with the passkey that was made for this site.',
  },
  assertion_framed: {
    class: 'authorization',
    what: (): string => 'The answer was signed in a frame inside of a page of another origin',
    todo: 'Sign in a window of its own.',
  },
  assertion_unverified: {
    class: 'authorization',
    what: (): string => 'The passkey did not verify the person',
    todo: 'Sign again, with the PIN, fingerprint or face that the passkey asks for.',
  },
  assertion_signature: {
    class: 'authorization',
    what: (): string => 'The signature is not right',
    todo: 'Sign again.',
  },
  question_unknown: {
    class: 'authorization',
    what: (): string => 'No open run asks this question',
    todo: 'Open the run that asks it, and answer there.',
  },
  question_answered: {
    class: 'authorization',
    what: (): string => 'This question was answered before',
    todo: 'Look at the first answer, which counts.',
  },
  edit_unavailable: {
    class: 'authorization',
    what: (d: { readonly reason: string }): string => `This call cannot be edited: ${d.reason}`,
    todo: 'Answer with yes or no.',
  },
  edit_stale: {
    class: 'authorization',
    what: (): string => 'The yes is for another edit of this call',
    todo: 'Look at the edited call again, and answer with its digest.',
  },
} as const;
