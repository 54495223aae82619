import { sha256Text } from '../../../core/hash.ts';
import type { JsonObject } from '../../../core/json/value.ts';
import { callIn } from '../../../core/protocol/call-text.ts';
import type { ModelMessage, ModelRequest } from '../../api.ts';
import type { ChatAnswer, Completion } from './completion.ts';

/** Data of the server beside a call: members of the message, and the `extra_content` of the call. */
export interface Beside {
  readonly message?: JsonObject;
  readonly call?: JsonObject;
}

/** Calls whose data is kept, and UTF-16 units of it. The oldest are forgotten first. */
const CALLS_MAX = 1000;
const LENGTH_MAX = 16 << 20;

/**
 * What a server sent beside its calls and demands back with them: a thought signature, or the reasoning. It lives as long
 * as the model of the program, and is in no record. It is given back to the very history that it belongs to: the
 * reasoning of one run could tell another run what that run may not know.
 */
export class Returned {
  readonly #kept = new Map<string, { readonly beside: Beside; readonly length: number }>();
  #length = 0;
  /** True once the server has sent such data, or where it is known to demand it. */
  #isDemanded: boolean;

  constructor(isDemanded: boolean) {
    this.#isDemanded = isDemanded;
  }

  /** Keeps what came beside the call that an answer made. */
  keep({ messages, dialect }: ModelRequest, { calls = [], beside }: ChatAnswer, { text }: Completion): void {
    const [made] = calls;
    const call = typeof text === 'string' ? callIn(dialect, text) : undefined;
    if (made === undefined || call === undefined) return;
    const kept = { ...(beside && { message: beside }), ...(made.extra && { call: made.extra }) };
    this.#isDemanded ||= Object.keys(kept).length > 0;
    if (!this.#isDemanded) return;
    const length = JSON.stringify(kept).length;
    this.#kept.set(keyOf(chainOf(messages).at(-1) ?? '', call), { beside: kept, length });
    this.#length += length;
    for (const [key, old] of this.#kept) {
      if (this.#kept.size <= CALLS_MAX && this.#length <= LENGTH_MAX) return;
      this.#kept.delete(key);
      this.#length -= old.length;
    }
  }

  /** The known data by the ids of the calls; undefined for a server that demands none. */
  of(messages: readonly ModelMessage[]): ReadonlyMap<string, Beside> | undefined {
    if (!this.#isDemanded) return undefined;
    const chain = chainOf(messages);
    const found = new Map<string, Beside>();
    for (const [at, { kind, call }] of messages.entries()) {
      if (kind !== 'proposal' || call === undefined) continue;
      const kept = this.#kept.get(keyOf(chain[at - 1] ?? '', call));
      if (kept !== undefined) found.set(call.id, kept.beside);
    }
    return found;
  }
}

/** For each message the hash of all up to it, without the instructions. */
function chainOf(messages: readonly ModelMessage[]): readonly string[] {
  let last = '';
  return messages.map(({ kind, content }) => {
    if (kind !== 'opening') last = sha256Text(`${last}${kind} ${content}`);
    return last;
  });
}

function keyOf(before: string, { name, args }: { readonly name: string; readonly args: string }): string {
  return sha256Text(JSON.stringify([before, name, args]));
}
