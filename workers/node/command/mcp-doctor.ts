import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Effect } from '../../../core/capability/guard.ts';
import { visibleLine } from '../../../core/text/visible.ts';
import type { Runtime } from '../../api.ts';
import type { McpSource } from '../../bridges/mcp/client/api.ts';
import { type ConfiguredServer, type GatewayConfiguration, prefixOf } from '../../bridges/mcp/gateway/config.ts';
import { ConfigFile, ConfigurationError } from '../../bridges/mcp/gateway/config-file.ts';
import { dataFolder, placesFor } from '../../bridges/mcp/gateway/data-folder.ts';
import { DefinitionPins } from '../../bridges/mcp/gateway/pins.ts';
import { grantsFor, strayNames } from '../../bridges/mcp/gateway/policy.ts';
import { GatewayServers } from '../../bridges/mcp/gateway/servers.ts';
import { type GatewayTool, GatewayTools } from '../../bridges/mcp/gateway/tools.ts';
import { type Command, type CommandCall, EXIT, type Terminal, UsageError } from './command.ts';
import { connect, isSqliteThere, OPENERS } from './mcp.ts';
import { counted } from './print.ts';
import { painter } from './terminal.ts';

export const mcpDoctor: Command = {
  name: 'mcp doctor',
  summary: 'Tries a configuration of sallyport mcp: starts its servers, and tells what each tool and grant comes to.',
  operands: '[CONFIG]',
  options: {
    ledger: { value: 'PLACE', help: 'Place of the ledger, beside which pins and a configuration are looked for.' },
    timeout: { value: 'SECONDS', help: 'Time that each server has to start; default 60.' },
  },
  examples: [
    'sallyport mcp doctor servers.json',
    'sallyport mcp doctor                      # the configuration beside the ledger, which "Always" writes',
    'sallyport mcp doctor --json servers.json  # for a script; exit code 0 means that all is well',
  ],
  run: examine,
};

/** What became of a server, in the order of the configuration. */
interface TriedServer {
  readonly name: string;
  readonly ok: boolean;
  readonly disabled?: true;
  readonly origin?: string;
  readonly version?: string;
  /** Reason why the server has not started. */
  readonly reason?: string;
  /** What the server and its tools said meanwhile, newest last. */
  readonly said: readonly string[];
  readonly tools: readonly TriedTool[];
  readonly refused: readonly RefusedTool[];
}

interface TriedTool {
  readonly tool: string;
  readonly effect: Effect;
  readonly answer: Answer;
}

interface RefusedTool {
  readonly name: string;
  readonly reason: string;
}

/** What a call of a tool comes to. */
type Answer = 'runs' | 'runs under terms' | 'asks' | 'is denied';

/** Where a question is answered. */
interface Questions {
  readonly ok: boolean;
  readonly text: string;
}

/** The result of a trial, printed by `--json`. */
interface Trial {
  readonly ok: boolean;
  readonly config: string;
  readonly servers: readonly TriedServer[];
  /** Faults of the configuration, each with its pointer. */
  readonly faults: readonly string[];
  readonly questions: Questions;
}

async function examine({ operands, options, json, terminal }: CommandCall): Promise<number> {
  const limitMs = limitOf(options['timeout']);
  const ledger = typeof options['ledger'] === 'string' ? options['ledger'] : undefined;
  const places = placesFor(ledger, await isSqliteThere(), dataFolder(process.platform, process.env));
  const path = operands[0] ?? places.config;
  const faults: string[] = [];
  const config = new ConfigFile({ path, isNamed: true, environment: process.env, say: (line) => faults.push(line) });
  try {
    config.load();
    if (Object.keys(config.value.mcpServers).length === 0)
      throw new ConfigurationError(`${path} names no server: write "mcpServers" into it`);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const lines = error.message.split('\n');
    if (json) terminal.printJson({ ok: false, config: path, faults: lines });
    else for (const line of lines) terminal.complain(`sallyport: ${line}`);
    return EXIT.usage;
  }
  const trial = await attempt(path, config.value, { pins: places.pins, limitMs, faults });
  if (json) terminal.printJson(trial);
  else print(trial, terminal);
  return trial.ok ? EXIT.ok : EXIT.tampered;
}

function limitOf(given: string | boolean | undefined): number {
  const seconds = Number(given ?? 60);
  if (Number.isFinite(seconds) && seconds > 0 && seconds <= 3600) return seconds * 1000;
  throw new UsageError('--timeout takes a number of seconds up to 3600');
}

interface Attempt {
  /** File of the pins. It is read, and never written. */
  readonly pins: string;
  readonly limitMs: number;
  /** Takes what the parts of a gateway say. */
  readonly faults: string[];
}

/**
 * Runs the parts of a gateway with a ledger in memory and a copy of the pins: nothing that the trial does stays. Every
 * child has ended when the promise resolves.
 */
async function attempt(path: string, value: GatewayConfiguration, given: Attempt): Promise<Trial> {
  const { faults, limitMs } = given;
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-doctor-'));
  const pins = join(folder, 'pins.json');
  if (existsSync(given.pins)) copyFileSync(given.pins, pins);
  const { openRuntime } = await import('../../node.ts');
  const runtime = openRuntime({});
  const tools = new GatewayTools(runtime, {
    pins: new DefinitionPins(pins),
    rules: () => ({ grants: value.grants, effects: value.effects, command: NO_WORDS }),
    changed: () => undefined,
    gained: () => undefined,
    say: (line) => faults.push(line),
  });
  try {
    // the time of a server is its own: the protocol is loaded before
    await Promise.all([
      runtime,
      import('../../bridges/mcp/client/open.ts'),
      import('../../bridges/mcp/server/serve.ts'),
    ]);
    const servers = await Promise.all(
      Object.entries(value.mcpServers).map(([name, server]) => tryServer(name, server, { tools, runtime, limitMs })),
    );
    const tried = servers.map((each) => ({ ...each, tools: toolsOf(each.name, tools, value) }));
    faults.push(...strays(value, tried, tools.all()).map((line) => `${visibleLine(path)} ${line}`));
    const questions = await questionsOf(tried);
    const ok = faults.length === 0 && questions.ok && tried.every((each) => each.ok && each.refused.length === 0);
    return { ok, config: path, servers: tried, faults, questions };
  } finally {
    await runtime.then((opened) => opened.close()).catch(() => undefined);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A trial has no words of a command line: the configuration decides alone. */
const NO_WORDS = { allow: [], deny: [] } as const;

interface ServerAttempt {
  readonly tools: GatewayTools;
  readonly runtime: Promise<Runtime>;
  readonly limitMs: number;
}

/** Starts a server, lists its tools, and ends it. */
async function tryServer(
  name: string,
  server: ConfiguredServer,
  { tools, runtime, limitMs }: ServerAttempt,
): Promise<Omit<TriedServer, 'tools'>> {
  if (server.disabled === true) return { name, ok: true, disabled: true, said: [], refused: [] };
  const said: string[] = [];
  let source: McpSource | undefined;
  let reason: string | undefined;
  const late = new AbortController();
  const timer = setTimeout(
    () => late.abort(new Error(`It has not started within ${counted(limitMs / 1000)} seconds`)),
    limitMs,
  );
  const noted = <T>(begun: Promise<T>): Promise<T> =>
    begun.catch((error: unknown) => {
      reason = visibleLine((error as Error).message);
      throw error;
    });
  const servers = new GatewayServers({
    connect: async (place, options) => {
      const signal = options.signal === undefined ? late.signal : AbortSignal.any([options.signal, late.signal]);
      return (source = await noted(connect(place, { ...options, signal })));
    },
    tools: { update: (...given) => noted(tools.update(...given)) },
    ready: runtime,
    trustHints: false,
    say: (line) => void said.push(line),
  });
  try {
    await servers.apply({ [name]: server });
    const refused = refusedOf(name, server, source, tools);
    const ok = source?.status === 'connected' && reason === undefined;
    const about = source && { origin: visibleLine(source.origin), version: aboutServer(source) };
    return { name, ok, ...about, ...(reason !== undefined && { reason }), said: said.slice(-SAID_MAX), refused };
  } finally {
    clearTimeout(timer);
    await servers.close();
  }
}

/** Lines of a server that are kept: the newest name the cause. */
const SAID_MAX = 10;

function aboutServer({ server }: McpSource): string {
  return visibleLine(`${server.name} ${server.version}`);
}

/** Tools of the server's list that the gateway refuses, without those that the configuration leaves out. */
function refusedOf(
  name: string,
  server: ConfiguredServer,
  source: McpSource | undefined,
  tools: GatewayTools,
): readonly RefusedTool[] {
  const isOff = (tool = ''): boolean =>
    Object.hasOwn(server.tools ?? {}, tool) && server.tools?.[tool]?.enabled === false;
  const untaken = (source?.refused ?? [])
    .filter((each) => !isOff(each.name))
    .map((each) => ({ name: visibleLine(each.name ?? '(no name)'), reason: visibleLine(each.refusal.message) }));
  const changed = tools
    .all()
    .filter((each) => each.server === name && each.changed !== undefined)
    .map(({ tool }) => ({
      name: visibleLine(tool),
      reason: 'Its definition differs from the pinned definition. Accept it on the page of sallyport mcp',
    }));
  return [...untaken, ...changed];
}

function toolsOf(server: string, tools: GatewayTools, { grants }: GatewayConfiguration): readonly TriedTool[] {
  return tools
    .all()
    .filter((each) => each.server === server)
    .map((each) => ({
      tool: visibleLine(each.tool),
      effect: each.terms.effect,
      answer: answerOf(each, grants),
    }));
}

function answerOf({ tool, terms, definition, changed }: GatewayTool, grants: GatewayConfiguration['grants']): Answer {
  const subject = { name: tool, effect: terms.effect, definition, ...(changed && { pinned: changed.pinned }) };
  const given = grantsFor(subject, grants, NO_WORDS);
  const isWhole = (grant: object): boolean => Object.keys(grant).every((name) => WHOLE.has(name));
  if (given.some((grant) => grant.mode === 'deny' && isWhole(grant))) return 'is denied';
  const allowing = given.filter(({ mode }) => mode === 'allow');
  if (allowing.length === 0) return 'asks';
  const hasLimits = given.some((grant) => grant.mode === 'deny') || given.findIndex(isAsking) < given.length - 1;
  return allowing.some(isWhole) && !hasLimits ? 'runs' : 'runs under terms';
}

function isAsking({ mode }: { readonly mode?: string }): boolean {
  return mode === 'ask';
}

/** Members of a grant without terms. */
const WHOLE: ReadonlySet<string> = new Set(['capability', 'mode', 'changed']);

/** Grants and terms that are for no tool, as far as the tools of their servers are known. */
function strays(
  value: GatewayConfiguration,
  tried: readonly TriedServer[],
  tools: readonly GatewayTool[],
): readonly string[] {
  const unknown = new Set(
    tried
      .filter(({ ok, disabled }) => !ok || disabled === true)
      .map(({ name }) => prefixOf(name, value.mcpServers[name] ?? {})),
  );
  const names = tools.map(({ tool }) => tool);
  const ended = value.grants.flatMap(({ tool, definition, mode }, at) => {
    const found = tools.find((each) => each.tool === tool);
    if (found === undefined || definition === undefined || mode === 'deny' || definition === found.definition)
      return [];
    return `/grants/${at}: the grant is for another definition of ${visibleLine(tool)} than its server gives now, so it is void`;
  });
  return [...strayNames(value, names, (prefix) => !unknown.has(prefix)), ...ended];
}

/** Tells where a person answers. Whether a host can ask is known once it has connected. */
async function questionsOf(tried: readonly TriedServer[]): Promise<Questions> {
  const asking = tried
    .flatMap(({ tools }) => tools)
    .filter(({ answer }) => answer !== 'runs' && answer !== 'is denied');
  const failure = await listenFailure();
  if (failure !== undefined)
    return {
      ok: false,
      text: `The page for questions cannot be opened on 127.0.0.1 (${failure}). With --no-page, only a host that can ask is asked`,
    };
  const [program] = OPENERS[process.platform] ?? ['xdg-open'];
  const opens = isOnPath(program)
    ? `--open opens it by ${program}`
    : `${program} is not there, so --open cannot open it`;
  const page = `A page at http://127.0.0.1 with a port of its own, whose address standard error gives, answers for every host; ${opens}`;
  return {
    ok: true,
    text: `${counted(asking.length)} tools may ask a person. ${page}. A host that declares "elicitation" when it connects asks by itself too; with --no-page, another host is refused`,
  };
}

function listenFailure(): Promise<string | undefined> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(0, '127.0.0.1', () => server.close(() => resolve(undefined)));
  });
}

function isOnPath(program: string): boolean {
  if (isAbsolute(program)) return existsSync(program);
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.some((folder) => existsSync(join(folder, program)));
}

function print({ ok, servers, faults, questions }: Trial, terminal: Terminal): void {
  const paint = painter(terminal);
  const mark = (isGood: boolean): string => (isGood ? paint('good', '✓') : paint('bad', '✕'));
  for (const server of servers) {
    terminal.print(`${mark(server.ok)} ${headOf(server)}`);
    for (const { tool, effect, answer } of server.tools)
      terminal.print(`    ${tool.padEnd(40)} ${paint('soft', effect.padEnd(7))} ${answer}`);
    for (const { name, reason } of server.refused) terminal.print(`  ${mark(false)} ${name} is refused: ${reason}`);
    if (!server.ok) for (const line of server.said) terminal.print(paint('soft', `    ${visibleLine(line)}`));
  }
  for (const fault of faults) terminal.print(`${mark(false)} ${visibleLine(fault)}`);
  terminal.print(`${mark(questions.ok)} ${questions.text}.`);
  terminal.print(ok ? 'All is well.' : 'Not all is well: see the lines with ✕.');
}

function headOf({ name, ok, disabled, version, reason, tools }: TriedServer): string {
  const shown = visibleLine(name);
  if (disabled === true) return `${shown} is disabled, and was not started`;
  if (!ok) return `${shown} has not started: ${reason ?? 'its connection was lost'}`;
  return `${shown} has started (${version}) with ${counted(tools.length)} tools`;
}
