import { SallyportError } from '../../../core/sallyport-error.ts';
import { type DoorRules, doorRefused, doorRules } from './door-rules.ts';
import type { DoorMessage, DoorRequest, DoorSettings } from './host.ts';
import { errorOf } from './reply.ts';

/** Requests of one door that are open at once. A request is open until its answer is read or given up. */
export const OPEN_MAX = 32;

/** The worker's side of a door. */
export interface WorkerDoor {
  readonly origin: string;
  /** Sends a request and answers at its port. A failure becomes a message: the promise does not reject. */
  ask(request: DoorRequest, port: MessagePort): Promise<void>;
}

/** Throws `option_invalid` and `endpoint_invalid` for settings that could never work. */
export function makeDoor(settings: DoorSettings, send: typeof fetch): WorkerDoor {
  const rules = doorRules(settings);
  let open = 0;
  return {
    origin: rules.origin,
    async ask(request, port) {
      open++;
      try {
        if (open > OPEN_MAX) throw doorRefused('requests', `at most ${OPEN_MAX} requests are open at once`);
        for await (const message of answerTo(request, rules, send, readerOf(port)))
          port.postMessage(message, message.kind === 'bytes' ? [message.bytes.buffer] : []);
        port.postMessage({ kind: 'end' } satisfies DoorMessage);
      } catch (error) {
        port.postMessage({ kind: 'failed', error: errorOf(error) } satisfies DoorMessage);
      } finally {
        open--;
      }
    },
  };
}

async function* answerTo(
  request: DoorRequest,
  rules: DoorRules,
  send: typeof fetch,
  page: PageReader,
): AsyncGenerator<DoorMessage> {
  const [url, init] = rules.permit(request);
  // The platform's error may quote the request.
  const response = await send(url, { ...init, signal: page.signal }).catch(() => {
    throw unreachable('The server cannot be reached, does not let this page ask it, or sends on to another address.');
  });
  const { status } = response;
  const { secrets, responseBytesMax } = rules;
  const statusText = secrets.hide(response.statusText);
  const headers = [...response.headers].flatMap(([name, value]): [string, string][] =>
    secrets.hide(name) === name ? [[name, secrets.hide(value)]] : [],
  );
  const body = BODILESS.includes(status) ? null : response.body;
  yield { kind: 'head', status, statusText, headers, hasBody: body !== null };
  if (body === null) return;
  const { push, rest: restOf } = secrets.bytePieces();
  for await (const piece of piecesOf(body, responseBytesMax, page)) yield pieceMessage(push(piece));
  const rest = restOf();
  if (rest.length > 0) yield pieceMessage(rest);
}

/** Statuses whose responses have no body (Fetch, 2.2.3 "null body status"). */
const BODILESS = [204, 205, 304];

/** Reads a piece when the page wants it: the rest waits with the server. */
async function* piecesOf(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  bytesMax: number,
  page: PageReader,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  try {
    for (let left = bytesMax; ; ) {
      await page.wants();
      const { done, value } = await reader.read().catch(() => {
        throw unreachable('The connection ended before the answer did.');
      });
      if (done) return;
      left -= value.byteLength;
      if (left < 0) throw doorRefused('response_bytes', `an answer has at most ${bytesMax} bytes`);
      yield value;
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

/** A view into a larger buffer would take the whole buffer along. */
function pieceMessage(bytes: Uint8Array<ArrayBuffer>): DoorMessage {
  return { kind: 'bytes', bytes: bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice() };
}

interface PageReader {
  readonly signal: AbortSignal;
  /** Resolves when the page wants a piece. Rejects after its abort. */
  wants(): Promise<void>;
}

/** The page sends `pull` for a piece that it wants, a piece at a time, and `abort` for the end of its interest. */
function readerOf(port: MessagePort): PageReader {
  const stop = new AbortController();
  let told = (): void => undefined;
  port.onmessage = ({ data }: MessageEvent<'pull' | 'abort'>) => {
    if (data === 'abort') stop.abort();
    told();
  };
  return {
    signal: stop.signal,
    async wants() {
      if (!stop.signal.aborted) await new Promise<void>((resolve) => (told = resolve));
      stop.signal.throwIfAborted();
    },
  };
}

function unreachable(message: string): SallyportError {
  return new SallyportError('door_unreachable', message, {});
}
