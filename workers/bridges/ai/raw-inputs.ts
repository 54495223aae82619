import type { AiPartMembers } from './model.ts';

/** The arguments of a call that a stream has not ended. */
export interface OpenInput {
  readonly name: string;
  readonly text: string;
}

/**
 * The raw text of arguments, joined from the pieces of a stream. A provider may also tell the arguments at the end of a
 * call; some of them parse and write that text anew, so the pieces come first.
 */
export class RawInputs {
  readonly #open = new Map<string, { readonly name: string; readonly pieces: string[] }>();

  /** Takes a part of a stream. */
  add({ type, id = '', toolName = '', delta = '', inputEncoding, providerExecuted }: AiPartMembers): void {
    // Pieces in another encoding are no JSON; the end of the call tells the JSON.
    if (type === 'tool-input-start' && providerExecuted !== true && inputEncoding !== 'text')
      this.#open.set(id, { name: toolName, pieces: [] });
    if (type === 'tool-input-delta') this.#open.get(id)?.pieces.push(delta);
  }

  /** The raw text of the arguments of a call that ends with this part. */
  end({ toolCallId = '', input = '' }: AiPartMembers): string {
    const pieces = this.#open.get(toolCallId)?.pieces.join('') ?? '';
    this.#open.delete(toolCallId);
    return pieces === '' ? input : pieces;
  }

  /** Calls that the stream has begun and not ended. */
  get open(): readonly OpenInput[] {
    return [...this.#open.values()].map(({ name, pieces }) => ({ name, text: pieces.join('') }));
  }
}
