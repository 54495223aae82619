import { type Report, SallyportError } from '../../core/index.ts';
import type { SallyportRun } from './sallyport-run.ts';

/** The frame's commands and events. Its answers to questions are not among them. */
const EVENTS = ['ready', 'record', 'state', 'done', 'tamper'] as const;
export type FrameEvent = (typeof EVENTS)[number];
export type FrameCommand = 'start' | 'step' | 'resume' | 'pause' | 'abort';
type Ask = FrameCommand | 'export' | 'verify';

/**
 * Messages over the port, both ways: data in these forms, read member by member. A message never names a path into an
 * object. A path would let the embedding page reach the object's prototypes, and through them the code that answers
 * questions.
 */
type FrameRequest = { readonly id: number; readonly ask: Ask; readonly text?: string };
type FrameReply =
  | { readonly event: FrameEvent; readonly detail: unknown }
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly trouble: string };

/** The element's side, in the embedding page. */
export interface FrameHost {
  tell(command: FrameCommand, text?: string): Promise<void>;
  export(): Promise<string | undefined>;
  verify(): Promise<Report | undefined>;
  close(): void;
}

/** The frame asks for a port as soon as it can. Only the page of the named origin, in this very frame, gets a port. */
const HELLO = 'sallyport-frame/1';

/** Shows the page at this address in the frame, and listens before it can ask. */
export function connectFrame(
  iframe: HTMLIFrameElement,
  address: string,
  tell: (name: FrameEvent, detail: unknown) => void,
): FrameHost {
  if (address === '' || !URL.canParse(address, document.baseURI))
    throw new SallyportError('option_invalid', 'The attribute frame has to name the page to be shown.', {
      name: 'frame',
    });
  const { origin } = new URL(address, document.baseURI);
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let asked = 0;
  const hear = ({ data }: MessageEvent<FrameReply>): void => {
    if ('event' in data) return void (EVENTS.includes(data.event) && tell(data.event, data.detail));
    if ('value' in data) waiting.get(data.id)?.resolve(data.value);
    else waiting.get(data.id)?.reject(new Error(String(data.trouble)));
    waiting.delete(data.id);
  };
  let { port1, port2 } = openChannel(hear);
  let greeted = false;
  /** The frame has gone: pending commands stay without an answer. */
  const drop = (): void => {
    port1.close();
    for (const { reject } of waiting.values()) reject(new Error('The page in the frame has gone.'));
    waiting.clear();
  };
  const greet = ({ source, origin: from, data }: MessageEvent): void => {
    if (source !== iframe.contentWindow || from !== origin || data !== HELLO) return;
    // Once more: the page in the frame was loaded again.
    if (greeted) {
      drop();
      ({ port1, port2 } = openChannel(hear));
    }
    greeted = true;
    iframe.contentWindow?.postMessage(HELLO, origin, [port2]);
  };
  const ask = (what: Ask, text?: string): Promise<unknown> =>
    new Promise((resolve, reject) => {
      waiting.set(++asked, { resolve, reject });
      port1.postMessage({ id: asked, ask: what, ...(text === undefined ? {} : { text }) } satisfies FrameRequest);
    });
  addEventListener('message', greet);
  iframe.src = address;
  return {
    tell: async (command, text) => void (await ask(command, text)),
    export: async () => (await ask('export')) as string | undefined,
    verify: async () => (await ask('verify')) as Report | undefined,
    close: () => {
      removeEventListener('message', greet);
      drop();
    },
  };
}

function openChannel(hear: (event: MessageEvent<FrameReply>) => void): MessageChannel {
  const channel = new MessageChannel();
  channel.port1.onmessage = hear;
  return channel;
}

/** The frame's side: the embedding page is a stranger that may drive, watch, and not decide. */
export function serve(element: SallyportRun, origins: readonly string[]): void {
  if (parent === self) return;
  addEventListener('message', ({ source, origin, data, ports: [port] }) => {
    if (source === parent && origins.includes(origin) && data === HELLO && port !== undefined) answerOn(port, element);
  });
  // The message only says that this page is here, so every embedding page may read it.
  parent.postMessage(HELLO, '*');
}

function answerOn(port: MessagePort, element: SallyportRun): void {
  const tell = (told: FrameReply): void => port.postMessage(told);
  for (const event of EVENTS) {
    element.addEventListener(`sallyport-${event}`, (given) =>
      tell({ event, detail: plain((given as CustomEvent).detail) }),
    );
  }
  port.onmessage = async ({ data }: MessageEvent<Partial<FrameRequest> | null>) => {
    const { id, ask, text } = data ?? {};
    const act = ask === undefined ? undefined : ASKS.get(ask);
    if (typeof id !== 'number' || act === undefined) return;
    try {
      tell({ id, value: plain(await act(element, typeof text === 'string' ? text : undefined)) });
    } catch (error) {
      tell({ id, trouble: error instanceof Error ? error.message : 'It failed.' });
    }
  };
}

const ASKS: ReadonlyMap<string, (element: SallyportRun, text?: string) => Promise<unknown>> = new Map(
  Object.entries({
    start: (element, text) => element.start(text),
    step: (element) => element.step(),
    resume: (element) => element.resume(),
    pause: (element) => element.pause(),
    abort: (element, text) => element.abort(text),
    export: (element) => element.export(),
    verify: (element) => element.verify(),
  } satisfies { readonly [A in Ask]: (element: SallyportRun, text?: string) => Promise<unknown> }),
);

/** Only data leaves the frame. */
function plain(detail: unknown): unknown {
  return detail === undefined ? undefined : JSON.parse(JSON.stringify(detail));
}
