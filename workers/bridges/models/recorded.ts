import { hashBytes, hashText, sha256Text } from '../../../core/hash.ts';
import { canonicalize } from '../../../core/json/canonical.ts';
import { decodeUtf8, encodeText } from '../../../core/json/utf8.ts';
import { SallyportError } from '../../../core/sallyport-error.ts';
import type { ModelPort, ModelRequest } from '../../api.ts';

/** An answer of a model, and the hash of its request. `hex` for an answer that was not UTF-8. */
export type RecordedAnswer = { readonly request_hash: string } & ({ readonly text: string } | { readonly hex: string });

/**
 * Repeats recorded answers in order, to the same requests. A different request fails with `recording_differs`, because
 * an answer to another question proves no result. A request beyond the last answer fails with `model_exhausted`.
 */
export function fromRecording(answers: Iterable<RecordedAnswer>, id = 'recorded'): ModelPort {
  const left = [...answers];
  let asked = 0;
  return {
    id,
    locality: { kind: 'local' },
    async propose(request) {
      const value = left.shift();
      if (value === undefined) throw new SallyportError('model_exhausted', 'The recording has no more answers.', {});
      const got = requestHash(request);
      asked++;
      if (got === value.request_hash) return { text: 'text' in value ? value.text : bytesOf(value.hex) };
      const message = `Request ${asked} is not the one that was recorded.`;
      throw new SallyportError('recording_differs', message, { request: asked, expected: value.request_hash, got });
    },
  };
}

/** The same model, with a list that grows by each answer. Failures are not recorded. */
export function recording(port: ModelPort): { readonly port: ModelPort; readonly answers: readonly RecordedAnswer[] } {
  const answers: RecordedAnswer[] = [];
  const recorder: ModelPort = {
    id: port.id,
    ...(port.locality !== undefined && { locality: port.locality }),
    ...(port.window !== undefined && { window: port.window }),
    ...(port.provider !== undefined && { provider: port.provider }),
    ...(port.name !== undefined && { name: port.name }),
    async propose(request, io) {
      const request_hash = requestHash(request);
      const said = await port.propose(request, io);
      answers.push({ request_hash, ...kept(said.text) });
      return said;
    },
  };
  return { port: recorder, answers };
}

/** Hash of a request: the text of its messages, schema, bounds and seed. */
export function requestHash({ messages: all, proposalSchema, maxTokens, seed }: ModelRequest): string {
  const messages = all.map(({ role, content }) => ({ role, content }));
  const text = canonicalize({ messages, proposalSchema, maxTokens, ...(seed !== undefined && { seed }) });
  if (text.ok) return sha256Text(`sallyport/request/1\n${text.value}`);
  throw new SallyportError(text.refusal.code, text.refusal.message, text.refusal.details);
}

function kept(text: string | Uint8Array): { readonly text: string } | { readonly hex: string } {
  const bytes = typeof text === 'string' ? encodeText(text) : text;
  const decoded = decodeUtf8(bytes);
  return decoded === undefined ? { hex: hashText(bytes) } : { text: decoded };
}

function bytesOf(hex: string): Uint8Array {
  if (!/^(?:[0-9a-f]{2})*$/.test(hex))
    throw new SallyportError('recording_malformed', 'A recorded answer is not hex.', {});
  return hashBytes(hex);
}
