/** Codes for a message of a host that is turned away before it becomes a proposal, and for a session at its limit. */
export const HOST_CODES = {
  message_unserved: {
    class: 'malformed_structure',
    what: (d: { readonly status: number; readonly reason: string }): string => `Not served (${d.status}): ${d.reason}`,
    todo: 'Send a message that this server serves.',
  },
  answer_unknown: {
    class: 'authorization',
    what: (): string => 'This question is not open: it was answered, it has expired, or it belongs to another call',
    todo: 'Call the tool again.',
  },
  calls_busy: {
    class: 'run',
    what: (d: { readonly limit: number }): string => `${d.limit} calls are under way`,
    todo: 'Wait for an answer, then call again.',
  },
  session_limited: {
    class: 'run',
    what: (d: { readonly limit: string }): string => `The session has reached its limit ${d.limit} and stays ended`,
    todo: 'A person has to raise this limit; until then every call is refused.',
  },
} as const;
