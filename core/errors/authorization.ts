/** Codes for a valid step that is not permitted. */
export const AUTHORIZATION_CODES = {
  capability_gone: {
    class: 'authorization',
    what: (d: { readonly name: string }): string => `${d.name} is no longer registered`,
    todo: 'Use a listed capability.',
  },
  capability_disabled: {
    class: 'authorization',
    what: (d: { readonly name: string }): string => `${d.name} is not enabled`,
    todo: 'Ask the person to enable it, or continue without it.',
  },
  no_grant: {
    class: 'authorization',
    what: (d: { readonly name: string }): string => `Valid, but not permitted: ${d.name} has no grant in this run`,
    todo: 'Continue without it.',
  },
  grant_denied: {
    class: 'authorization',
    what: (d: { readonly name: string }): string => `Denied by policy: ${d.name}`,
    todo: 'Continue without it.',
  },
  definition_changed: {
    class: 'authorization',
    what: (d: { readonly name: string; readonly pinned: string; readonly declared: string }): string =>
      `The server changed the definition of ${d.name} after it was pinned, so it is not called`,
    todo: 'A person has to compare the definitions and accept the new one on the page of sallyport mcp.',
  },
  grant_expired: {
    class: 'authorization',
    what: (d: { readonly name: string; readonly expires: number }): string => `The grant for ${d.name} has expired`,
    todo: 'Continue without it.',
  },
  grant_used_up: {
    class: 'authorization',
    what: (d: { readonly name: string; readonly uses: number }): string =>
      `Grant used up: ${d.name}, ${d.uses} of ${d.uses} calls`,
    todo: 'Continue without it.',
  },
  grant_rate: {
    class: 'authorization',
    what: (d: {
      readonly name: string;
      readonly calls: number;
      readonly windowMs: number;
      /** Integer ms since epoch: the next call is permitted then. */
      readonly next: number;
      readonly after_ms: number;
    }): string =>
      `Too many calls for now: ${d.name}, at most ${d.calls} in ${d.windowMs} ms; the next is permitted in ${d.after_ms} ms`,
    todo: 'Wait until then, or continue without it.',
  },
  read_unasked: {
    class: 'authorization',
    what: (d: { readonly name: string }): string => `A person decides on each READ, and ${d.name} cannot ask`,
    todo: 'Propose a READ, or ask for a grant of content.read that does not ask.',
  },
  grant_constraint: {
    class: 'authorization',
    what: (d: { readonly name: string }): string => `The grant for ${d.name} does not cover these arguments`,
    todo: 'Use arguments within the grant.',
  },
  permission_revoked: {
    class: 'authorization',
    what: (d: { readonly name: string }): string =>
      `A person took the permission for ${d.name} back before it had ended`,
    todo: 'Check what it has done, and continue without it.',
  },
  approval_denied: {
    class: 'authorization',
    what: (d: { readonly reason: string }): string => `A person said no${d.reason === '' ? '' : `: ${d.reason}`}`,
    todo: 'Continue without it.',
  },
  approval_unavailable: {
    class: 'authorization',
    what: (d: { readonly name: string }): string =>
      `${d.name} needs the approval of a person, and nobody can be asked here`,
    todo: 'Continue without it.',
  },
  approval_deferred: {
    class: 'authorization',
    what: (d: { readonly name: string }): string => `A person is asked about ${d.name} before it is proposed again`,
    todo: 'Wait for the answer; the call is then proposed again.',
  },
  approval_failed: {
    class: 'authorization',
    what: (d: { readonly name: string }): string =>
      `${d.name} needs an approval, and the program that asks for it failed`,
    todo: 'Continue without it.',
  },
  authorizer_denied: {
    class: 'authorization',
    what: (d: { readonly reason: string }): string =>
      `The rules of this program’s authorizer do not permit it${d.reason === '' ? '' : `: ${d.reason}`}`,
    todo: 'Continue without it.',
  },
  consent_denied: {
    class: 'authorization',
    what: (): string => 'Private content may not go to this model',
    todo: 'Use a model on this device, or another task.',
  },
  model_elsewhere: {
    class: 'authorization',
    what: (d: { readonly origin: string }): string => `The run was not begun with a model at ${d.origin}`,
    todo: 'Take it up with its own model, or with one on this device.',
  },
  run_foreign: {
    class: 'authorization',
    what: (d: { readonly run_id: string }): string =>
      `The run ${d.run_id} came from a backup, with grants and code of whoever made it`,
    todo: 'Read or replay it; start a new run to go on with its task.',
  },
} as const;
