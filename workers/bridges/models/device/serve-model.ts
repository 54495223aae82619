import type { ModelPort, ModelRequest } from '../../../api.ts';
import { closeExits } from '../../../lock/exits.ts';
import { greetingWith } from '../../../lock/greeting.ts';
import { probeLock } from '../../../lock/probe.ts';
import { errorOf } from '../../endpoint/reply.ts';
import type { ModelAsk, ModelGreeting, ModelMaker, ModelOpened, ProposalMessage, ServedModel } from './messages.ts';

/** Exits that engines need: threads in workers from their own memory, and the graphics processor. */
const NEEDED = ['Worker', 'gpu'];

/**
 * Serves a model from inside its worker to the page that started the worker by `openModelWorker`. Removes storage of
 * the origin and other tabs from the worker's global, tests the worker's lock, and then answers proposals; it takes no
 * other message. A function makes the model after the page has found the worker locked, from the page's options.
 *
 * ```ts
 * serveModel(async ({ assets, data }) => {
 *   const wllama = new Wllama({ default: `${assets}wllama.wasm` }, { cacheManager: {} });
 *   await wllama.loadModel([data as Blob], { n_ctx: 4096 });
 *   return fromWllama(wllama, { id: 'notes-model' });
 * });
 * ```
 *
 * @experimental
 */
export function serveModel(model: ModelPort | ModelMaker): void {
  closeExits(NEEDED);
  void greet(typeof model === 'function' ? model : () => model);
}

async function greet(make: ModelMaker): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  serveAt(port1, make);
  const greeting: ModelGreeting = greetingWith({ probes: await probeLock(), port: port2 });
  postMessage(greeting, { transfer: [port2] });
}

/** Answers at this port. The model is made a single time; messages of another kind are dropped. */
export function serveAt(port: MessagePort, make: ModelMaker): void {
  let making: Promise<ModelPort> | undefined;
  port.onmessage = ({ data }: MessageEvent<ModelAsk>) => {
    if (data.kind === 'open' && making === undefined) {
      making = (async () => make(data.options))();
      void tellOpened(making, port);
    }
    if (data.kind === 'propose' && making !== undefined) void propose(making, data.request, data.port);
  };
}

async function tellOpened(making: Promise<ModelPort>, port: MessagePort): Promise<void> {
  try {
    port.postMessage({ kind: 'opened', model: served(await making) } satisfies ModelOpened);
  } catch (error) {
    port.postMessage({ kind: 'failed', error: errorOf(error) } satisfies ModelOpened);
  }
}

function served({ id, provider, name, locality, window }: ModelPort): ServedModel {
  return {
    id,
    ...(provider !== undefined && { provider }),
    ...(name !== undefined && { name }),
    ...(locality !== undefined && { locality }),
    ...(window !== undefined && { window }),
  };
}

/** The page closes the port after the last message. */
async function propose(making: Promise<ModelPort>, request: ModelRequest, port: MessagePort): Promise<void> {
  const stop = new AbortController();
  port.onmessage = ({ data }: MessageEvent<unknown>) => void (data === 'abort' && stop.abort());
  const say = (message: ProposalMessage): void => port.postMessage(message);
  try {
    const model = await making;
    const onText = (text: string): void => say({ kind: 'text', text });
    const { text, goal, providerData, usage, finish } = await model.propose(request, { signal: stop.signal, onText });
    const beside = { ...(goal !== undefined && { goal }), ...(providerData !== undefined && { providerData }) };
    say({ kind: 'answer', answer: { text, ...beside, ...(usage && { usage }), ...(finish && { finish }) } });
  } catch (error) {
    say({ kind: 'failed', error: errorOf(error) });
  }
}
