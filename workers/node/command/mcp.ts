import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Runtime } from '../../api.ts';
import type { McpOptions, McpServer, McpSource } from '../../bridges/mcp/client/api.ts';
import { endProcess, startProcess } from '../../bridges/mcp/client/stdio.ts';
import { ConfigurationError } from '../../bridges/mcp/gateway/config-file.ts';
import { dataFolder, type GatewayPlaces, placesFor, prefixOfCommand } from '../../bridges/mcp/gateway/data-folder.ts';
import type { Gateway, GatewayOptions } from '../../bridges/mcp/gateway/gateway.ts';
import type { NodeOptions } from '../../node.ts';
import { type Command, type CommandCall, EXIT, type Terminal, UsageError } from './command.ts';
import { painter } from './terminal.ts';

export const mcp: Command = {
  name: 'mcp',
  summary: 'Puts servers of the Model Context Protocol behind the gate, for a host that starts this command.',
  operands: '[-- COMMAND ARGS…]',
  many: true,
  options: {
    config: { value: 'FILE', help: 'Configuration with servers, grants, effects and labels.' },
    ledger: { value: 'PLACE', help: 'A file that ends in .sqlite, or a directory. Absent: in the data folder.' },
    allow: { value: 'WORDS', help: 'Effects (read, write, egress) or tools that run without a question.' },
    deny: { value: 'WORDS', help: 'Effects or tools that are refused.' },
    watch: { value: 'TIME', help: 'For 90m or 2h, calls that no rule is about run and are recorded; once.' },
    http: { value: 'PORT', help: 'Serves streamable HTTP at this port, with a token, instead of stdio.' },
    'no-token': { help: 'With --http, for a test on this machine: no client has to send a token.' },
    'no-prefix': { help: 'Hosts see the names of the tools of COMMAND as the server spells them.' },
    code: { help: 'Offers a tool through which a model sends a program; each call inside it is gated.' },
    open: { help: 'Opens the page in your browser when a call waits, and prints no address.' },
    wait: { help: 'Lets a host that cannot ask wait for a person, instead of telling it to call again.' },
    'page-port': { value: 'PORT', help: 'Serves the page at localhost and this port, where passkeys can sign.' },
    'no-page': { help: 'Serves no page for questions: only a host that can ask is asked.' },
  },
  examples: [
    'sallyport mcp -- npx -y @modelcontextprotocol/server-filesystem ~/notes',
    'sallyport mcp --allow read -- npx -y @modelcontextprotocol/server-filesystem ~/notes',
    'sallyport mcp --config servers.json     # several servers behind one gate',
    'sallyport mcp doctor servers.json       # tries a configuration',
  ],
  run: runGateway,
};

async function runGateway(call: CommandCall): Promise<number> {
  const { terminal, options } = call;
  const hasSqlite = await isSqliteThere();
  const places = placesFor(textIn(options['ledger']), hasSqlite, dataFolder(process.platform, process.env));
  const port = portOf('http', options);
  if (options['no-token'] === true && port === undefined) throw new UsageError('--no-token goes with --http PORT');
  if (options['no-prefix'] === true && call.operands.length === 0)
    throw new UsageError('--no-prefix goes with a command; in a configuration, write "prefix": ""');
  const { signal, stop } = endSignal();
  try {
    const given = gatewayOptions(call, places, signal);
    const gateway = await open(given, {
      places,
      port,
      isOpen: options['no-token'] === true,
      code: options['code'] === true,
      waits: options['wait'] === true,
    });
    await Promise.race([aborted(signal), gateway.left]);
    await gateway.close();
    return EXIT.ok;
  } catch (error) {
    // A signal ends a start, too: its servers then fail because they were closed.
    return signal.aborted ? EXIT.ok : failed(error, terminal);
  } finally {
    stop();
    process.stdin.destroy();
  }
}

function gatewayOptions(
  { operands, options, terminal }: CommandCall,
  places: GatewayPlaces,
  signal: AbortSignal,
): GatewayOptions {
  const [command, ...args] = operands;
  const config = textIn(options['config']);
  const pagePort = portOf('page-port', options);
  if (pagePort !== undefined && options['no-page'] === true)
    throw new UsageError('--page-port goes with the page: leave --no-page out');
  return {
    places,
    signal,
    policy: { allow: wordsOf(options['allow']), deny: wordsOf(options['deny']) },
    hasPage: options['no-page'] !== true,
    environment: process.env,
    say: (line) => terminal.complain(`sallyport: ${line}`),
    warn: (line) => terminal.complain(painter(terminal)('bad', `sallyport: ${line}`)),
    ...(options['open'] === true && { show: (address: string) => showAddress(address, dirname(places.pins)) }),
    ...(typeof options['watch'] === 'string' && { watch: { option: options['watch'] } }),
    ...(config !== undefined && { config }),
    ...(pagePort !== undefined && { pagePort }),
    ...(command !== undefined && {
      command: [
        prefixOfCommand(command, args),
        { command, args, ...(options['no-prefix'] === true && { prefix: '' }) },
      ] as const,
    }),
  };
}

interface Front {
  readonly places: GatewayPlaces;
  readonly port: number | undefined;
  /** No token is asked for. */
  readonly isOpen: boolean;
  readonly code: boolean;
  readonly waits: boolean;
}

/** The runtime and the protocol are loaded by this command alone. */
async function open(options: GatewayOptions, { places, port, isOpen, code, waits }: Front): Promise<Gateway> {
  const { openGateway } = await import('../../bridges/mcp/gateway/gateway.ts');
  return openGateway(options, {
    openRuntime: (given) => openLedger(places, given),
    connect,
    serve: async (runtime, asks, words, auth) => {
      if (isOpen && auth !== undefined)
        throw new ConfigurationError('--no-token goes with no "auth": leave one of them out');
      const { serveMcp } = await import('../../bridges/mcp/server/serve.ts');
      return serveMcp(runtime, {
        ...words,
        code,
        ...(waits && { pendingMs: false as const }),
        approve: asks ? 'either' : 'elicit',
        ...(port !== undefined && {
          transport: { port, ...(auth && { auth }), ...(isOpen && { token: false as const }) },
        }),
      });
    },
  });
}

/** Opens the ledger of a gateway as soon as its lock is free. */
export function openLedger(places: GatewayPlaces, given: Omit<NodeOptions, 'store' | 'warm'>): Promise<Runtime> {
  return patient(async () => {
    const { openRuntime } = await import('../../node.ts');
    if (!places.isFile) return openRuntime({ ...given, store: { directory: places.ledger }, warm: true });
    const { openSqlite } = await import('../../sqlite.ts');
    return openRuntime({ ...given, store: openSqlite({ path: places.ledger }), warm: true });
  });
}

/** Programs that open a file with the program of its kind. */
export const OPENERS: { readonly [platform: string]: readonly [string, ...string[]] } = {
  darwin: ['open'],
  win32: ['explorer.exe'],
};

/** ms in which a browser reads the file that leads it to the page. */
const READ_MS = 60_000;

/**
 * Opens an address in the person's browser. The browser is given a file that only this person reads: an argument of a
 * process is read by every user of the machine.
 */
async function showAddress(address: string, folder: string): Promise<boolean> {
  const path = join(folder, `open-${randomUUID()}.html`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(path, `<!doctype html><meta http-equiv="refresh" content="0; url=${address}">`, { mode: 0o600 });
  const remove = (): void => rmSync(path, { force: true });
  process.once('exit', remove);
  setTimeout(() => {
    process.off('exit', remove);
    remove();
  }, READ_MS).unref();
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...args, path], { stdio: 'ignore', detached: true });
  child.unref();
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('spawn', () => setTimeout(() => resolve(true), 1_000).unref());
    // the explorer of Windows ends with 1 where it has opened a file
    child.once('exit', (code) => resolve(code === 0 || process.platform === 'win32'));
  });
}

/** The process of a server starts first: the protocol is loaded while it starts. */
export async function connect(server: McpServer, options: McpOptions): Promise<McpSource> {
  const started = 'command' in server ? startProcess(server) : undefined;
  try {
    const { openServer } = await import('../../bridges/mcp/client/open.ts');
    const [source] = await Promise.all([
      openServer(server, options, started),
      import('../../bridges/mcp/server/serve.ts'),
    ]);
    return source;
  } catch (error) {
    if (started !== undefined) await endProcess(started);
    throw error;
  }
}

/** ms that a start waits for a process that holds the ledger: a host may start a server twice, to try it. */
const PATIENCE_MS = 3_000;

/** The same for a process that cannot be seen from here: the lock that it left behind is free after 30 seconds. */
const FAR_PATIENCE_MS = 32_000;

/** Opens a ledger as soon as its lock is free, and rejects where another process keeps it. */
export async function patient<T>(open: () => Promise<T>): Promise<T> {
  for (const began = Date.now(); ; ) {
    try {
      return await open();
    } catch (error) {
      const { code, details } = error as { code?: unknown; details?: { host?: unknown } };
      const patienceMs = details?.host === undefined ? PATIENCE_MS : FAR_PATIENCE_MS;
      if (code !== 'store_locked' || Date.now() > began + patienceMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

const END_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Aborts with the first signal of the system that asks the process to end. */
function endSignal(): { readonly signal: AbortSignal; readonly stop: () => void } {
  const controller = new AbortController();
  const end = (): void => controller.abort();
  for (const name of END_SIGNALS) process.once(name, end);
  const stop = (): void => {
    for (const name of END_SIGNALS) process.off(name, end);
  };
  return { signal: controller.signal, stop };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

const LOCKED =
  ' Hosts share a ledger by --ledger FILE.sqlite; on an older Node, give each host a directory by --ledger DIR.';

function failed(error: unknown, terminal: Terminal): number {
  if (error instanceof ConfigurationError) {
    for (const line of error.message.split('\n')) terminal.complain(`sallyport: ${line}`);
    return EXIT.usage;
  }
  const locked = (error as { code?: unknown }).code === 'store_locked' ? LOCKED : '';
  terminal.complain(`sallyport: ${error instanceof Error ? error.message : String(error)}${locked}`);
  return EXIT.failed;
}

export async function isSqliteThere(): Promise<boolean> {
  return (process as { getBuiltinModule?: (name: string) => unknown }).getBuiltinModule?.('node:sqlite') !== undefined;
}

function wordsOf(given: string | boolean | undefined): readonly string[] {
  return typeof given === 'string' ? given.split(',').filter((word) => word !== '') : [];
}

function textIn(given: string | boolean | undefined): string | undefined {
  return typeof given === 'string' ? given : undefined;
}

/** `http` takes 0 for a free port; a page with passkeys needs one that stays. */
function portOf(name: 'http' | 'page-port', options: CommandCall['options']): number | undefined {
  const given = options[name];
  if (given === undefined) return undefined;
  const [port, least] = [Number(given), name === 'http' ? 0 : 1];
  if (Number.isInteger(port) && port >= least && port < 65_536) return port;
  throw new UsageError(`--${name} takes a number from ${least} to 65535`);
}
