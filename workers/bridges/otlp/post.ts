import { decode } from '../../../core/json/decode-within.ts';
import { encodeText } from '../../../core/json/utf8.ts';
import { isObject, type JsonValue } from '../../../core/json/value.ts';
import type { OtlpLogs, OtlpTraces } from '../../../core/telemetry/otlp-form.ts';
import { textWithin } from '../models/body.ts';
import { ALONE } from '../models/endpoint.ts';
import { delayIn } from '../models/retry-after.ts';
import { Secrets } from '../models/secrets.ts';
import type { PushProblem } from './api.ts';

/** The answer of a collector to one request. */
type Posted =
  | { readonly ok: true; readonly rejected: number; readonly said?: string }
  | { readonly ok: false; readonly problem: PushProblem; readonly isPassing: boolean; readonly afterMs?: number };

/** Sends a request to a collector. It does not reject. */
export type Post = (body: OtlpTraces | OtlpLogs) => Promise<Posted>;

/** A collector that has not answered by then is taken to be away. */
const ANSWER_MS = 10_000;
/** An answer says little: a part that was rejected, and why. */
const ANSWER_BYTES = 65_536;
const SAID_MAX = 300;

export function makePost(base: string, headers: Readonly<Record<string, string>>, send: typeof fetch): Post {
  const hide = hiderOf(headers);
  return async (body) => {
    const path = 'resourceSpans' in body ? '/v1/traces' : '/v1/logs';
    try {
      const response = await send(`${base}${path}`, {
        ...ALONE,
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      return await postedOf(response, hide);
    } catch {
      // The platform's error may quote the request.
      return { ok: false, problem: { kind: 'unreachable' }, isPassing: true };
    }
  };
}

async function postedOf(response: Response, hide: Hide): Promise<Posted> {
  const { ok, status } = response;
  // The collector has decided by its status. A body that breaks off takes nothing back.
  const text = await textWithin(response, ANSWER_BYTES).catch(() => '');
  const answer = decode(encodeText(text.toWellFormed()));
  const value = answer.ok ? answer.value : null;
  if (ok) return { ok, ...partIn(value, hide) };
  const afterMs = delayIn(response.headers.get('retry-after'));
  const message = isObject(value) ? value['message'] : undefined;
  const said = saidIn(typeof message === 'string' && message !== '' ? message : text, hide);
  return {
    ok: false,
    problem: { kind: 'status', status, ...said },
    isPassing: PASSING.has(status),
    ...(afterMs !== undefined && { afterMs }),
  };
}

/** The statuses after which OTLP permits another attempt. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);

function partIn(value: JsonValue, hide: Hide): { readonly rejected: number; readonly said?: string } {
  const part = isObject(value) ? value['partialSuccess'] : undefined;
  if (!isObject(part)) return { rejected: 0 };
  const count = Number(part['rejectedSpans'] ?? part['rejectedLogRecords'] ?? 0);
  return { rejected: Number.isSafeInteger(count) && count > 0 ? count : 0, ...saidIn(part['errorMessage'], hide) };
}

/** The collector's text on a line, bounded. Bytes that are no text, such as protobuf, say nothing. */
function saidIn(text: JsonValue | undefined, hide: Hide): { readonly said?: string } {
  if (typeof text !== 'string' || text.includes('\ufffd')) return {};
  // A key may be cut in two where the reading ends.
  const line = hide(text)
    .replaceAll(/[\s\p{C}]+/gu, ' ')
    .trim();
  return line === '' ? {} : { said: line.slice(0, SAID_MAX).toWellFormed() };
}

type Hide = (text: string) => string;

/** Hides the keys of the headers in a text. A key that is too short to be hidden leaves no text. */
function hiderOf(headers: Readonly<Record<string, string>>): Hide {
  const secrets = new Secrets();
  try {
    secrets.addHeaders(Object.entries(headers));
    return (text) => secrets.hideCut(text);
  } catch {
    return () => '';
  }
}
