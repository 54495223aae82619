import { decode } from '../../../core/json/decode.ts';
import { concatBytes } from '../../../core/json/utf8.ts';
import type { JsonObject, JsonValue } from '../../../core/json/value.ts';
import type { Secrets } from '../models/secrets.ts';
import { isJson, isText, OperationError } from './operation.ts';

/** Result of a call. */
export interface OpenApiAnswer {
  readonly status: number;
  /** JSON, a text, or bytes in base64. Absent for an empty answer. */
  readonly body?: JsonValue;
  /** Present for a body that is no JSON. */
  readonly mediaType?: string;
  /** Present for bytes. */
  readonly encoding?: 'base64';
  /** Headers that the program has named. */
  readonly headers?: Readonly<Record<string, string>>;
}

interface AnswerOptions {
  readonly bytesMax: number;
  /** Names of headers that the result shows. */
  readonly headers: readonly string[];
  readonly secrets: Secrets;
}

/** UTF-16 units of an error's text. */
const ERROR_TEXT_MAX = 1000;

/** Reads an answer of success. Its bytes are a stranger's and bounded; JSON in it is decoded by the rules of `decode`. */
export async function readAnswer(response: Response, options: AnswerOptions): Promise<JsonObject> {
  const { bytes, end } = await bytesOf(response, options.bytesMax);
  if (end === 'broken') throw answerRefused('the connection ended before it was complete');
  if (end === 'cut') throw answerRefused(`it has more than ${options.bytesMax} bytes`);
  const answer: OpenApiAnswer = {
    status: response.status,
    ...headersOf(response, options),
    ...(bytes.byteLength > 0 && bodyOf(bytes, response.headers.get('content-type') ?? '', options.secrets)),
  };
  return answer as unknown as JsonObject;
}

/** The error of an answer that is no success, with the beginning of its text. */
export async function errorOf(response: Response, { secrets }: AnswerOptions): Promise<OperationError> {
  const { bytes, end } = await bytesOf(response, 4 * ERROR_TEXT_MAX);
  const words = new TextDecoder()
    .decode(bytes)
    .replaceAll(/[\s\p{C}]+/gu, ' ')
    .trim();
  // a key may be cut in two where the reading ends
  const hidden = end === 'whole' ? secrets.hide(words) : secrets.hideCut(words);
  const text = hidden.slice(0, ERROR_TEXT_MAX).toWellFormed();
  return new OperationError('http_error', `The server answered ${response.status}${text === '' ? '.' : `: ${text}`}`);
}

interface ReadBytes {
  readonly bytes: Uint8Array;
  /** Where the bytes end: with the answer, at the bound, or where the connection broke. */
  readonly end: 'whole' | 'cut' | 'broken';
}

/** Rejects where the call is aborted. */
async function bytesOf({ body }: Response, bytesMax: number): Promise<ReadBytes> {
  const parts: Uint8Array[] = [];
  let length = 0;
  if (body === null) return { bytes: new Uint8Array(), end: 'whole' };
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { bytes: concatBytes(parts), end: 'whole' };
      const part = value.subarray(0, bytesMax - length);
      parts.push(part);
      length += part.byteLength;
      if (part.byteLength < value.byteLength) return { bytes: concatBytes(parts), end: 'cut' };
    }
  } catch (error) {
    if (error instanceof DOMException) throw error;
    return { bytes: concatBytes(parts), end: 'broken' };
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

function headersOf(response: Response, { headers, secrets }: AnswerOptions): Pick<OpenApiAnswer, 'headers'> {
  const found = headers.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null
      ? []
      : [[name.toLowerCase(), secrets.hide(value).slice(0, ERROR_TEXT_MAX).toWellFormed()] as const];
  });
  return headers.length === 0 ? {} : { headers: Object.fromEntries(found) };
}

type Body = Pick<OpenApiAnswer, 'body' | 'mediaType' | 'encoding'>;

function bodyOf(bytes: Uint8Array, type: string, secrets: Secrets): Body {
  const text = utf8(bytes);
  if (isJson(type)) {
    const decoded = decode(bytes);
    if (!decoded.ok) throw answerRefused(`its JSON is refused (${decoded.refusal.code}): ${decoded.refusal.message}`);
    return { body: secrets.hideIn(decoded.value) };
  }
  const mediaType = secrets.hide(type).slice(0, 200).toWellFormed();
  if (text !== undefined && isText(type)) return { body: secrets.hide(text), mediaType };
  return { body: base64(secrets.cover(bytes)), mediaType, encoding: 'base64' };
}

function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function base64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.byteLength; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}

function answerRefused(reason: string): OperationError {
  return new OperationError('answer_refused', `The answer is refused: ${reason}`);
}
