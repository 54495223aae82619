import {
  Client,
  type ClientOptions,
  type StandardSchemaV1,
  StreamableHTTPClientTransport,
  type Transport,
  type VersionNegotiationOptions,
} from '@modelcontextprotocol/client';
import { isObject, type JsonObject } from '../../../../core/json/value.ts';
import { makeDelay } from '../../../async.ts';
import { DefaultJsonSchemaValidator } from '../sdk-shims.ts';
import { VERSION } from '../version.ts';
import type { McpServerInfo } from './api.ts';
import { type Notify, shownText } from './notices.ts';

export interface ConnectionEvents {
  readonly notify: Notify;
  /** The server's list of tools has changed, or may have. */
  readonly changed: () => void;
}

/** What a server reads about its client. */
const CLIENT_INFO = { name: 'sallyport', version: VERSION } as const;

const METHOD_NOT_FOUND = -32601;

/** Characters of a server's instructions that are kept. */
const INSTRUCTIONS_MAX = 16_384;

/** Time for a server to take the end of its session. */
const END_MS = 1000;

/** A client of the SDK that has no part of its own to offer: each request of the server is refused, and told. */
export function makeClient(
  versionNegotiation: VersionNegotiationOptions,
  { notify, changed }: ConnectionEvents,
): Client {
  const client = new Client(CLIENT_INFO, {
    capabilities: {},
    jsonSchemaValidator: new DefaultJsonSchemaValidator() as never,
    versionNegotiation,
    inputRequired: { autoFulfill: false },
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: changed } },
  } satisfies ClientOptions);
  client.fallbackRequestHandler = (request) => {
    notify({ kind: 'request_refused', method: shownText(request.method) });
    return Promise.reject(Object.assign(new Error('Method not found'), { code: METHOD_NOT_FOUND }));
  };
  client.fallbackNotificationHandler = async ({ method, params }) => notifyOf(method, params, notify);
  return client;
}

/** Results are read by us: one malformed entry of a list does not refuse the list. */
export const ANY_RESULT: StandardSchemaV1<unknown, JsonObject> = {
  '~standard': {
    version: 1,
    vendor: 'sallyport',
    validate: (value) => (isObject(value) ? { value } : { issues: [{ message: 'The result is no object' }] }),
  },
};

/** Tells a server behind HTTP that its session has ended; a server that does not answer is left. */
export async function endSession(transport: Transport | undefined): Promise<void> {
  if (!(transport instanceof StreamableHTTPClientTransport) || transport.sessionId === undefined) return;
  const delay = makeDelay();
  await Promise.race([transport.terminateSession().catch(() => undefined), delay.wait(END_MS)]);
  delay.giveUp();
}

/** Texts of a server about itself, made visible. */
export function serverInfoOf(client: Client): McpServerInfo {
  const { name = '', version = '' } = client.getServerVersion() ?? {};
  const instructions = client.getInstructions();
  return {
    name: shownText(name),
    version: shownText(version),
    protocol: client.getNegotiatedProtocolVersion() ?? '',
    ...(instructions !== undefined && { instructions: shownText(instructions, INSTRUCTIONS_MAX) }),
  };
}

function notifyOf(method: string, params: unknown, notify: Notify): void {
  if (method !== 'notifications/message') return notify({ kind: 'notification', method: shownText(method) });
  const { level, data } = Object(params) as { readonly level?: unknown; readonly data?: unknown };
  notify({ kind: 'log', level: shownText(level), text: shownText(data) });
}
