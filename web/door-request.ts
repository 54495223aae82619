import type { DoorMessage } from '../workers/bridges/endpoint/host.ts';
import { errorOf } from './worker-error.ts';

type Message<K extends DoorMessage['kind']> = Extract<DoorMessage, { readonly kind: K }>;
type Body = ReadableStream<Uint8Array<ArrayBuffer>>;

/**
 * The answer to a request whose port the worker has at its other end. Each piece of the body is pulled when the stream
 * has room for it. The signal ends the request with its reason, before the head and within the body.
 */
export async function answerAt(port: MessagePort, signal: AbortSignal): Promise<Response> {
  const [head, body] = await headAt(port, signal);
  try {
    return new Response(body, head);
  } catch (error) {
    // A status that no response can have.
    await body?.cancel();
    throw error;
  }
}

function headAt(port: MessagePort, signal: AbortSignal): Promise<[head: Message<'head'>, body: Body | null]> {
  return new Promise((resolve, reject) => {
    let fail: (reason: unknown) => void = reject;
    let take: (piece: Message<'bytes' | 'end'>) => void = () => undefined;
    const end = (): void => {
      signal.removeEventListener('abort', abort);
      port.onmessage = null; // a closed port of Firefox still delivers what has arrived
      port.close();
    };
    const giveUp = (): void => {
      port.postMessage('abort');
      end();
    };
    const abort = (): void => {
      giveUp();
      fail(signal.reason);
    };
    const start = (controller: ReadableStreamDefaultController): void => {
      fail = (reason) => controller.error(reason);
    };
    const pull = (controller: ReadableStreamDefaultController): Promise<void> =>
      new Promise((pulled) => {
        take = (piece) => {
          if (piece.kind === 'bytes') controller.enqueue(piece.bytes);
          else controller.close();
          pulled();
        };
        port.postMessage('pull');
      });
    port.onmessage = ({ data }: MessageEvent<DoorMessage>) => {
      if (data.kind === 'head') {
        resolve([data, data.hasBody ? new ReadableStream({ start, pull, cancel: giveUp }) : null]);
        return;
      }
      if (data.kind !== 'bytes') end();
      if (data.kind === 'failed') fail(failureOf(data));
      else take(data);
    };
    signal.addEventListener('abort', abort);
  });
}

/** Where no answer comes the platform's `fetch` rejects with a `TypeError`, and libraries look for it. */
function failureOf({ error }: Message<'failed'>): Error {
  const { code, message } = error;
  return code === 'door_unreachable' ? Object.assign(new TypeError(message), { code }) : errorOf(error);
}
