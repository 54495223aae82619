import { type ChildProcess, spawn } from 'node:child_process';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { Refusal } from '../../../core/outcome.ts';
import { makeLineSplitter } from '../wire/lines.ts';
import {
  errorResponse,
  isBlank,
  type RefusedShape,
  readMessage,
  refusedShape,
  shapeOfEdges,
  textOf,
  WIRE_LIMITS,
} from '../wire/message.ts';
import { tooLarge } from '../wire/refusals.ts';
import type { McpCommand } from './api.ts';
import type { McpWay } from './connection.ts';
import { shownText } from './notices.ts';
import type { WayParts } from './source.ts';

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

/** Time for a child to end by itself after the end of its input, and after the request to end. */
const END_MS = 2000;

const LOG_LINE_MAX = 4096;

/** The way to a server that runs as a child process. */
export function commandWay(given: McpCommand, { refused, notify, secrets }: WayParts): McpWay {
  const { command, args = [], env = {} } = given;
  secrets.addNamed(env);
  const logged = (text: string): void => notify({ kind: 'log', level: 'stderr', text: secrets.hide(shownText(text)) });
  return {
    origin: secrets.hide(`mcp:stdio:${[command, ...args].join(' ')}`),
    isChild: true,
    isRepeatable: true,
    open: () => new ChildTransport(given, refused, logged),
  };
}

/** A child process that speaks JSON-RPC in lines. Its bytes pass `readMessage` before the SDK sees a message. */
class ChildTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  /** The SDK knows a child by these two members. */
  readonly stderr: null = null;
  #child: ChildProcess | undefined;
  readonly #given: McpCommand;
  readonly #refused: (refusal: Refusal) => void;
  readonly #logged: (text: string) => void;

  constructor(given: McpCommand, refused: (refusal: Refusal) => void, logged: (text: string) => void) {
    this.#given = given;
    this.#refused = refused;
    this.#logged = logged;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  start(): Promise<void> {
    const { command, args = [], env = {}, cwd } = this.#given;
    const child = spawn(command, [...args], {
      env: { ...platformVariables(), ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
      ...(cwd !== undefined && { cwd }),
    });
    this.#child = child;
    this.#read(child);
    return new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => {
        reject(new Error(`${command} cannot be started`, { cause: error }));
        this.onerror?.(error);
      });
      child.once('close', () => {
        this.#child = undefined;
        this.onclose?.();
      });
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    const input = this.#child?.stdin;
    if (input === null || input === undefined || !input.writable)
      return Promise.reject(new Error('The process of the server has ended'));
    return new Promise((resolve, reject) => {
      input.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
    child.stdin?.end();
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await within(ended, END_MS)) return;
      child.kill(signal);
    }
    await within(ended, END_MS);
  }

  #read(child: ChildProcess): void {
    const lines = makeLineSplitter(WIRE_LIMITS.bytes, {
      line: (line) => this.#take(line),
      dropped: ({ bytes, head, tail }) => this.#refuse(tooLarge(bytes), shapeOfEdges(textOf(head), textOf(tail))),
    });
    const log = makeLineSplitter(LOG_LINE_MAX, {
      line: (line) => this.#logged(textOf(line)),
      dropped: ({ head }) => this.#logged(textOf(head)),
    });
    child.stdout?.on('data', (chunk: Uint8Array) => lines.push(chunk));
    child.stderr?.on('data', (chunk: Uint8Array) => log.push(chunk));
    for (const stream of [child.stdin, child.stdout, child.stderr])
      stream?.on('error', (error) => this.onerror?.(error));
  }

  #take(line: Uint8Array): void {
    if (isBlank(line)) return;
    const read = readMessage(line);
    if (!read.ok) return this.#refuse(read.refusal, refusedShape(line));
    this.onmessage?.(read.value as never);
  }

  /** The call that waits for a refused response fails at once. Other refused messages are told and left out. */
  #refuse(refusal: Refusal, { id, isAsked }: RefusedShape): void {
    this.#refused(refusal);
    if (id !== undefined && !isAsked) this.onmessage?.(errorResponse(id, refusal) as never);
  }
}

function platformVariables(): Record<string, string> {
  const entries = PLATFORM_VARIABLES.map((name) => [name, process.env[name]] as const);
  // an exported function of a shell begins so, and is code
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && !value.startsWith('()'))) as Record<
    string,
    string
  >;
}

/** True when the promise has resolved within these ms. */
async function within(promise: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  const isDone = await Promise.race([promise.then(() => true), late]);
  clearTimeout(timer);
  return isDone;
}
