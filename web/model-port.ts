import { ModelError } from '../core/index.ts';
import type { ModelPort } from '../workers/api.ts';
import type {
  ModelAsk,
  ModelOpened,
  ModelWorkerOptions,
  ProposalMessage,
  ServedModel,
} from '../workers/bridges/models/device/messages.ts';
import { errorOf } from './worker-error.ts';

type Answer = Awaited<ReturnType<ModelPort['propose']>>;

/**
 * The model behind the port of its worker. The abort of `broken` says why the worker answers no more: an opening and
 * every proposal then fail with a `ModelError`.
 */
export async function connectModel(
  port: MessagePort,
  options: ModelWorkerOptions,
  broken: AbortSignal,
): Promise<ModelPort> {
  const model = await openAt(port, options, broken);
  return {
    ...model,
    propose(request, { signal, onText }) {
      const { port1, port2 } = new MessageChannel();
      const answer = answerAt(port1, signal, broken, onText);
      port.postMessage({ kind: 'propose', request, port: port2 } satisfies ModelAsk, [port2]);
      return answer;
    },
  };
}

function openAt(port: MessagePort, options: ModelWorkerOptions, broken: AbortSignal): Promise<ServedModel> {
  return new Promise((resolve, reject) => {
    const fail = (): void => reject(lost(broken));
    broken.addEventListener('abort', fail, { once: true });
    if (broken.aborted) fail();
    port.onmessage = ({ data }: MessageEvent<ModelOpened>) => {
      broken.removeEventListener('abort', fail);
      if (data.kind === 'opened') resolve(data.model);
      else reject(errorOf(data.error));
    };
    port.postMessage({ kind: 'open', options } satisfies ModelAsk);
  });
}

/** The answer to a proposal. An abort ends it at once with the signal's reason; the worker is told. */
function answerAt(
  port: MessagePort,
  signal: AbortSignal,
  broken: AbortSignal,
  onText: ((text: string) => void) | undefined,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      signal.removeEventListener('abort', abort);
      broken.removeEventListener('abort', fail);
      port.onmessage = null; // a closed port of Firefox still delivers what has arrived
      port.close();
    };
    const abort = (): void => {
      port.postMessage('abort');
      end();
      reject(signal.reason);
    };
    const fail = (): void => {
      end();
      reject(lost(broken));
    };
    port.onmessage = ({ data }: MessageEvent<ProposalMessage>) => {
      if (data.kind === 'text') return onText?.(data.text);
      end();
      if (data.kind === 'answer') resolve(data.answer);
      else reject(errorOf(data.error));
    };
    signal.addEventListener('abort', abort);
    broken.addEventListener('abort', fail);
    if (signal.aborted) abort();
    else if (broken.aborted) fail();
  });
}

/** The error of a worker is a text of the program's own code, which is not recorded. */
function lost({ reason }: AbortSignal): ModelError {
  return new ModelError('The worker of the model answers no more.', { retryable: false, said: String(reason) });
}
