import { type ChildProcess, spawn } from 'node:child_process';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { Refusal } from '../../../../core/outcome.ts';
import { LATE, within } from '../../../async.ts';
import { makeLineSplitter } from '../../models/lines.ts';
import {
  answerFault,
  errorResponse,
  isBlank,
  type NumbersAs,
  type RefusedShape,
  readServerMessage,
  refusedShape,
  shapeOfEdges,
  textOf,
  tooLarge,
  WIRE_LIMITS,
} from '../wire/message.ts';
import type { McpCommand } from './api.ts';
import type { McpWay } from './connection.ts';
import { shownText } from './notices.ts';
import type { WayParts } from './source.ts';

/** Time for a child to end by itself after the end of its input, and after the request to end. */
const END_MS = 1500;

const LOG_LINE_MAX = 4096;

/** The way to a server that runs as a child process. `started` is its first process, where that runs already. */
export function commandWay(
  given: McpCommand,
  { refused, notify, secrets, numbers }: WayParts,
  started?: ServerProcess,
): McpWay {
  const { command, args = [], env = {} } = given;
  let waiting = started;
  secrets.addVariables(env);
  const logged = (text: string): void => notify({ kind: 'log', level: 'stderr', text: shownText(secrets.hide(text)) });
  return {
    origin: secrets.hide(`mcp:stdio:${[command, ...args].join(' ')}`),
    isChild: true,
    isRepeatable: true,
    open: () => {
      const first = waiting;
      waiting = undefined;
      return new ChildTransport(() => first ?? startProcess(given), { refused, logged, numbers });
    },
  };
}

interface ChildParts {
  readonly refused: (refusal: Refusal) => void;
  readonly logged: (text: string) => void;
  readonly numbers: NumbersAs;
}

/** A child process that speaks JSON-RPC in lines. Its bytes pass `readMessage` before the SDK sees a message. */
class ChildTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  /** The SDK knows a child by these two members. */
  readonly stderr: null = null;
  #server: ServerProcess | undefined;
  readonly #begin: () => ServerProcess;
  readonly #parts: ChildParts;

  constructor(begin: () => ServerProcess, parts: ChildParts) {
    this.#begin = begin;
    this.#parts = parts;
  }

  get pid(): number | null {
    return this.#server?.process.pid ?? null;
  }

  async start(): Promise<void> {
    const server = this.#begin();
    this.#server = server;
    this.#read(server.process);
    server.process.on('error', (error) => this.onerror?.(error));
    void server.closed.then(this.#closed);
    await server.started;
  }

  readonly #closed = (): void => {
    this.#server = undefined;
    this.onclose?.();
  };

  send(message: JSONRPCMessage): Promise<void> {
    const input = this.#server?.process.stdin;
    if (input === null || input === undefined || !input.writable)
      return Promise.reject(new Error('The process of the server has ended'));
    // the replies to a server that floods with requests, and reads no reply, would fill the memory
    if (!('method' in message) && input.writableLength > WIRE_LIMITS.bytes)
      return Promise.reject(new Error('The server does not read the replies to its requests'));
    return new Promise((resolve, reject) => {
      input.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  async close(): Promise<void> {
    if (this.#server === undefined) return;
    await endProcess(this.#server);
  }

  #read(child: ChildProcess): void {
    const lines = makeLineSplitter(WIRE_LIMITS.bytes, {
      line: (line) => this.#take(line),
      dropped: ({ bytes, head, tail }) => this.#refuse(tooLarge(bytes), shapeOfEdges(textOf(head), textOf(tail))),
    });
    const log = makeLineSplitter(LOG_LINE_MAX, {
      line: (line) => this.#parts.logged(textOf(line)),
      dropped: ({ head }) => this.#parts.logged(textOf(head)),
    });
    child.stdout?.on('data', (chunk: Uint8Array) => lines.push(chunk));
    child.stderr?.on('data', (chunk: Uint8Array) => log.push(chunk));
    for (const stream of [child.stdin, child.stdout, child.stderr])
      stream?.on('error', (error) => this.onerror?.(error));
  }

  #take(line: Uint8Array): void {
    if (isBlank(line)) return;
    const read = readServerMessage(line, undefined, this.#parts.numbers);
    if (!read.ok) return this.#refuse(read.refusal, refusedShape(line));
    const fault = answerFault(read.value);
    if (fault !== undefined) return this.#parts.refused(fault);
    this.onmessage?.(read.value as never);
  }

  /** The call that waits for a refused response fails at once. Other refused messages are told and left out. */
  #refuse(refusal: Refusal, { id, isAsked }: RefusedShape): void {
    this.#parts.refused(refusal);
    if (id !== undefined && !isAsked) this.onmessage?.(errorResponse(id, refusal) as never);
  }
}

/**
 * Ends the process of a server with all that it has started, within five seconds: `npx` and shells stay between, and
 * keep the signal to themselves. Pipes that a stranger still holds are let go.
 */
export async function endProcess({ process: child, closed }: ServerProcess): Promise<void> {
  child.stdin?.end();
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if ((await within(closed, END_MS)) !== LATE && !signalTree(child, 0)) break;
    signalTree(child, signal);
  }
  await within(closed, END_MS);
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
  child.unref();
}

/** Signals a child and its children; 0 asks alone. True: some process was there. */
function signalTree(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  const { pid } = child;
  if (pid === undefined) return false;
  if (process.platform === 'win32') {
    const isThere = child.exitCode === null && child.signalCode === null;
    if (isThere && signal !== 0)
      spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' }).on('error', () => child.kill());
    return isThere;
  }
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

/** Variables of this process that a child needs on its platform. Others are passed on by `env` alone. */
export const PLATFORM_VARIABLES: readonly string[] =
  process.platform === 'win32'
    ? [
        'APPDATA',
        'COMSPEC',
        'HOMEDRIVE',
        'HOMEPATH',
        'LOCALAPPDATA',
        'PATH',
        'PATHEXT',
        'PROCESSOR_ARCHITECTURE',
        'PROGRAMDATA',
        'PROGRAMFILES',
        'SYSTEMDRIVE',
        'SYSTEMROOT',
        'TEMP',
        'USERNAME',
        'USERPROFILE',
        'WINDIR',
      ]
    : ['HOME', 'LANG', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'USER'];

/** The process of a server. What it writes before it is read waits in its pipes. */
export interface ServerProcess {
  readonly process: ChildProcess;
  /** Rejects where the process cannot be started. */
  readonly started: Promise<void>;
  /** Resolves when the process has ended and its pipes are read to their end, or when it could not be started. */
  readonly closed: Promise<void>;
}

/** Starts the process of a server, with the variables that the platform needs and those that are named. */
export function startProcess({ command, args = [], env = {}, cwd }: McpCommand): ServerProcess {
  const child = spawn(command, [...args], {
    env: { ...platformVariables(), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
    // a group of its own, so that it ends with its children
    detached: process.platform !== 'win32',
    ...(cwd !== undefined && { cwd }),
  });
  const started = new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => reject(new Error(`${command} cannot be started`, { cause: error })));
  });
  started.catch(() => undefined);
  return { process: child, started, closed: new Promise((resolve) => child.once('close', () => resolve())) };
}

function platformVariables(): Record<string, string> {
  const entries = PLATFORM_VARIABLES.map((name) => [name, process.env[name]] as const);
  // an exported function of a shell begins so, and is code
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && !value.startsWith('()'))) as Record<
    string,
    string
  >;
}
