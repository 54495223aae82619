import { expose, proxy, wrap } from 'comlink';
import type { Report } from '../../core/index.ts';
import type { SallyportRun } from './run.ts';

/** What is asked of a frame and what it may tell: never a question's answer. */
const EVENTS = ['ready', 'record', 'state', 'done', 'tamper'] as const;
export type FrameEvent = (typeof EVENTS)[number];
export type FrameCommand = 'start' | 'step' | 'resume' | 'pause' | 'abort';
type Tell = (name: FrameEvent, detail: unknown) => void;

interface FrameService {
  listen(tell: Tell): void;
  tell(command: FrameCommand, text?: string): Promise<void>;
  export(): Promise<string | undefined>;
  verify(): Promise<Report | undefined>;
}

/** The element's side, in the embedding page. */
export interface FrameHost extends Pick<FrameService, 'tell' | 'export' | 'verify'> {
  close(): void;
}

/** The frame asks for a port as soon as it can; only the page of the named origin, in this very frame, gets one. */
const HELLO = 'sallyport-frame/1';

export function connectFrame(iframe: HTMLIFrameElement, tell: Tell): FrameHost {
  const { port1, port2 } = new MessageChannel();
  const { origin } = new URL(iframe.src, document.baseURI);
  const service = wrap<FrameService>(port1);
  const greet = ({ source, origin: from, data }: MessageEvent): void => {
    if (source !== iframe.contentWindow || from !== origin || data !== HELLO) return;
    removeEventListener('message', greet);
    iframe.contentWindow?.postMessage(HELLO, origin, [port2]);
    void service.listen(proxy(tell));
  };
  addEventListener('message', greet);
  return {
    tell: (command, text) => service.tell(command, text),
    export: () => service.export(),
    verify: () => service.verify(),
    close: () => {
      removeEventListener('message', greet);
      port1.close();
    },
  };
}

/** The frame's side: the embedding page is a stranger that may drive, watch, and not decide. */
export function serve(element: SallyportRun, origins: readonly string[]): void {
  if (parent === self) return;
  addEventListener('message', ({ source, origin, data, ports: [port] }) => {
    if (source === parent && origins.includes(origin) && data === HELLO && port !== undefined) {
      expose(serviceOf(element), port);
    }
  });
  // Nothing in it but that this page is here, so whoever embeds it may hear it.
  parent.postMessage(HELLO, '*');
}

function serviceOf(element: SallyportRun): FrameService {
  return {
    listen: (tell) => {
      for (const name of EVENTS) {
        element.addEventListener(`sallyport-${name}`, (event) => tell(name, plain((event as CustomEvent).detail)));
      }
    },
    tell: (command, text) => COMMANDS[command](element, text === undefined ? undefined : String(text)),
    export: () => element.export(),
    verify: () => element.verify(),
  };
}

const COMMANDS: { readonly [C in FrameCommand]: (element: SallyportRun, text?: string) => Promise<void> } = {
  start: (element, text) => element.start(text),
  step: (element) => element.step(),
  resume: (element) => element.resume(),
  pause: (element) => element.pause(),
  abort: (element, text) => element.abort(text),
};

/** Only data leaves the frame. */
function plain(detail: unknown): unknown {
  return JSON.parse(JSON.stringify(detail ?? null));
}
