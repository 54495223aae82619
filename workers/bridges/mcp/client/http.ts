import { StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { SallyportError } from '../../../../core/sallyport-error.ts';
import type { Secrets } from '../../models/secrets.ts';
import type { RefusedListener } from '../wire/events.ts';
import { type Fetch, strictFetch } from '../wire/fetch.ts';
import type { McpHttpServer } from './api.ts';
import type { McpWay } from './connection.ts';
import { accessOf } from './sign-in.ts';

export interface HttpParts {
  readonly fetch: Fetch;
  readonly refused: RefusedListener;
  readonly secrets: Secrets;
}

/** The way to a server behind streamable HTTP. Throws `option_invalid`. */
export function httpWay({ url, headers = {}, authorization }: McpHttpServer, parts: HttpParts): McpWay {
  const address = addressOf(url);
  const { secrets } = parts;
  secrets.addHeaders(Object.entries(headers));
  const access = accessOf(authorization, secrets);
  const finish = access?.finish;
  const checked = strictFetch(parts.fetch, parts.refused);
  return {
    origin: `mcp:${address.origin}${address.pathname}`,
    isChild: false,
    isRepeatable: true,
    open: (lost) => {
      const transport = new StreamableHTTPClientTransport(address, {
        fetch: forgetful(checked, address, lost),
        requestInit: { headers },
        reconnectionOptions: RECONNECTION,
        ...(access && { authProvider: access.provider }),
      });
      access?.opened(transport);
      return transport;
    },
    ...(finish && { signIn: async (error) => error instanceof UnauthorizedError && finish() }),
  };
}

/** A stream of the server that breaks is asked for again, with the last event that came. */
const RECONNECTION = {
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 8000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 5,
} as const;

function addressOf(url: string): URL {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address === undefined || !/^https?:$/.test(address.protocol)) {
    const wants = 'an address that starts with https: or http:';
    throw new SallyportError('option_invalid', `The option url has to be ${wants}. Correct it.`, {
      name: 'url',
      wants,
    });
  }
  if (address.username !== '' || address.password !== '') {
    const wants = 'an address without a name and a password; use authorization';
    throw new SallyportError('option_invalid', `The option url has to be ${wants}.`, { name: 'url', wants });
  }
  return address;
}

/** Calls `lost` when the server answers that it does not know the session that a request names. */
function forgetful(fetch: Fetch, address: URL, lost: () => void): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    const isNamed = String(url) === address.href && new Headers(init?.headers).has('mcp-session-id');
    if (isNamed && response.status === 404 && init?.method !== 'DELETE') queueMicrotask(lost);
    return response;
  };
}
