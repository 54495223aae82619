import { demand, type OptionType } from '../../../../core/option.ts';
import type { McpOptions, McpServer, McpSource } from './api.ts';
import { transportWay } from './connection.ts';
import { httpWay } from './http.ts';
import { openSource } from './source.ts';
import type { ServerProcess } from './stdio.ts';
import { commandWay } from './stdio.ts';

/** A transport of the program parses numbers by itself, and rounds them. */
const NO_NUMBERS: OptionType = [
  'left out for a transport, which has parsed numbers before',
  (value) => value === undefined,
];

/** Connects to a server. `started` is the process of its command, where that runs already. */
export function openServer(server: McpServer, options: McpOptions, started?: ServerProcess): Promise<McpSource> {
  return openSource((parts) => {
    if ('url' in server) return httpWay(server, { fetch: globalThis.fetch, ...parts });
    if ('command' in server) return commandWay(server, parts, started);
    demand('numbers', options.numbers, NO_NUMBERS);
    return transportWay(server.transport);
  }, options);
}
