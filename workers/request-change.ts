import type { ModelMessage, ModelRequest } from './api.ts';

/**
 * A request to a model as a change of the request before it. A step adds two messages to a list of a thousand, so only
 * the change crosses a message port.
 */
export interface RequestChange {
  /** Parts of the former list of messages that stay, in order: each from one index up to another. */
  readonly kept: readonly (readonly [from: number, to: number])[];
  /** Messages behind the kept parts. */
  readonly added: readonly ModelMessage[];
  /** All members but the messages; absent where they are those of the former request. */
  readonly terms?: RequestTerms;
}

type RequestTerms = Omit<ModelRequest, 'messages'>;

/** Makes the changes of consecutive requests. Messages and parts of terms are equal where they are the same object. */
export function requestChanges(): (request: ModelRequest) => RequestChange {
  let before: ModelRequest | undefined;
  return (request) => {
    const { messages, ...terms } = request;
    const kept = keptParts(before?.messages ?? [], messages);
    const count = kept.reduce((sum, [from, to]) => sum + to - from, 0);
    const isSame = before !== undefined && hasTerms(before, terms);
    before = request;
    return { kept, added: messages.slice(count), ...(!isSame && { terms }) };
  };
}

/** Makes the requests again from their changes. Each request has a list of its own; its messages are frozen. */
export function changedRequests(): (change: RequestChange) => ModelRequest {
  let messages: readonly ModelMessage[] = [];
  let terms: RequestTerms | undefined;
  return (change) => {
    const parts = change.kept.map(([from, to]) => messages.slice(from, to));
    messages = parts.flat().concat(change.added.map(frozen));
    terms = change.terms ?? terms;
    return { ...(terms as RequestTerms), messages: messages.slice() };
  };
}

/** The beginning that two lists share, and the part of the former list with which the other list goes on. */
function keptParts(before: readonly ModelMessage[], after: readonly ModelMessage[]): RequestChange['kept'] {
  const end = before.findIndex((message, at) => message !== after[at]);
  if (end < 0) return [[0, before.length]];
  const from = before.indexOf(after[end] as ModelMessage, end);
  const goesOn = from >= 0 && before.every((message, at) => at < from || message === after[end + at - from]);
  return goesOn
    ? [
        [0, end],
        [from, before.length],
      ]
    : [[0, end]];
}

function hasTerms(before: ModelRequest, terms: RequestTerms): boolean {
  const names = new Set([...Object.keys(before), ...Object.keys(terms)]) as Set<keyof RequestTerms | 'messages'>;
  return [...names].every((name) => name === 'messages' || before[name] === terms[name]);
}

/** Frozen, because the model's code gets the same message with every request that shows it. */
function frozen(message: ModelMessage): ModelMessage {
  Object.freeze(message.call);
  return Object.freeze(message);
}
