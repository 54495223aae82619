/**
 * Entry of the endpoint worker: the only part that may ask a server other than this page's own. It is opened once, for a
 * model or as a door. It sends requests and returns the answers; it makes no decision and keeps only the keys.
 */
import { assert } from '../../../core/assert.ts';
import { closeExits } from '../../lock/exits.ts';
import { greetingWith } from '../../lock/greeting.ts';
import { probeLock } from '../../lock/probe.ts';
import { methodsAt, serveMethods } from '../../lock/realm-port.ts';
import { type OpenAIPort, openPort } from '../models/openai.ts';
import { makeDoor, type WorkerDoor } from './door.ts';
import type { EndpointHost, TextListener } from './host.ts';
import { replyOf } from './reply.ts';

// The only exit left in this worker is `fetch`.
closeExits();

let port: OpenAIPort | undefined;
let door: WorkerDoor | undefined;
let asking = new AbortController();

const host: EndpointHost = {
  open: (settings) =>
    replyOf(async () => {
      assertUnopened();
      port = openPort(settings);
      const { id, provider, name, locality } = port;
      return { id, ...(provider !== undefined && { provider }), ...(name !== undefined && { name }), locality };
    }),
  propose: (request, listener) =>
    replyOf(async () => {
      const { onText } = methodsAt<TextListener>(listener, { onText: true });
      asking = new AbortController();
      const pieces: unknown[] = [];
      const tell = (text: string) => void pieces.push(onText(text));
      try {
        const answer = await opened().propose(request, { signal: asking.signal, onText: tell });
        // the pieces have a port of their own: the answer comes behind the last piece
        await Promise.allSettled(pieces);
        return answer;
      } finally {
        listener.close();
      }
    }),
  cancel: () => asking.abort(),
  test: (timeoutMs) => replyOf(() => opened().testEndpoint(timeoutMs === undefined ? {} : { timeoutMs })),
  probe: () => replyOf(async () => (await opened().probe()).responseFormat),
  openDoor: (settings) =>
    replyOf(async () => {
      assertUnopened();
      door = makeDoor(settings, (input, init) => fetch(input, init));
      return door.origin;
    }),
  ask(request, answers) {
    assert(door !== undefined, 'a door is opened before it is asked');
    void door.ask(request, answers);
  },
};

function assertUnopened(): void {
  assert(port === undefined && door === undefined, 'an endpoint worker is opened once');
}

function opened(): OpenAIPort {
  assert(port !== undefined, 'an endpoint is opened before it is asked');
  return port;
}

serveMethods(self, host);
void probeLock().then((probes) => self.postMessage(greetingWith({ probes })));
