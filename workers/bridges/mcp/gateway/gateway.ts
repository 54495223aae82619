import { setTimeout as wait } from 'node:timers/promises';
import { visibleLine } from '../../../../core/text/visible.ts';
import type { Runtime, RuntimeOptions, Session } from '../../../api.ts';
import { deferred } from '../../../async.ts';
import type { NotifyOptions } from '../../webhook/notify.ts';
import { markStale } from '../server/caller-session.ts';
import type { ServeOptions, TokenAuth } from '../server/options.ts';
import { type FileStamp, stampOf, watchFrom } from './atomic-file.ts';
import {
  type ConfiguredServer,
  type Environment,
  type GatewayConfiguration,
  prefixesMeet,
  prefixOf,
} from './config.ts';
import { ConfigFile, ConfigurationError } from './config-file.ts';
import type { GatewayPlaces } from './data-folder.ts';
import { GatewayDesk } from './desk.ts';
import { DefinitionPins } from './pins.ts';
import { allowsEffect, type CommandPolicy, sentencesOf, strayNames, unknownWords, withPrincipals } from './policy.ts';
import { type Connect, GatewayServers } from './servers.ts';
import { GatewayTools, isWatched } from './tools.ts';
import { momentText, WatchFile, type WatchWish } from './watch.ts';

/** A server of the protocol in front of the runtime: the result of `serveMcp`. */
interface GatewayFront {
  readonly address?: string;
  readonly token?: string;
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

export interface GatewayOptions {
  readonly places: GatewayPlaces;
  /** Configuration that the command line names. */
  readonly config?: string;
  /** Server that the command line names, with its prefix. */
  readonly command?: readonly [name: string, server: ConfiguredServer];
  readonly policy: CommandPolicy;
  /** A watch that begins with the first start that names it. */
  readonly watch?: WatchWish;
  /** False: no page. Questions go to the host alone. */
  readonly hasPage: boolean;
  /** Port of the page, which is at `localhost` then; absent: a free port at 127.0.0.1, where no passkey can sign. */
  readonly pagePort?: number;
  /** Shows the page in a browser when a person is needed, and tells whether that worked. Absent: its address is said. */
  readonly show?: (address: string) => Promise<boolean>;
  readonly environment: Environment;
  /** Ends the start. */
  readonly signal: AbortSignal;
  /** Tells the person a line, on standard error. */
  readonly say: (line: string) => void;
  /** Tells the person a danger, in red where there are colours. */
  readonly warn?: (line: string) => void;
}

/** The parts of the package that a gateway joins. */
interface GatewayParts {
  readonly openRuntime: (options: RuntimeOptions & { readonly notify?: NotifyOptions }) => Promise<Runtime>;
  readonly connect: Connect;
  /**
   * Serves the runtime; `asks` is true where questions have a page. `words`: what hosts get of the servers' own words. `auth`:
   * who may call over HTTP.
   */
  readonly serve: (
    runtime: Runtime,
    asks: boolean,
    words: GatewayWords,
    auth: TokenAuth | undefined,
  ) => Promise<GatewayFront>;
}

/** Options of `serveMcp` that tell hosts about the servers behind the gate. */
type GatewayWords = Pick<ServeOptions, 'sources' | 'hidePrefix' | 'instructions'>;

/** A gateway that is open. */
export interface Gateway {
  /** Resolves when the host has left. */
  readonly left: Promise<void>;
  /** Seals the runs and ends the servers. */
  close(): Promise<void>;
}

/** ms that the runs have to be sealed. */
const SEAL_MS = 1_000;

/** Opens a gateway: servers behind the gate, a host in front of it. Rejects where no server can be started. */
export async function openGateway(options: GatewayOptions, parts: GatewayParts): Promise<Gateway> {
  const { places, say, policy } = options;
  const config = configOf(options);
  const asked = options.hasPage && { approve: () => new Promise<never>(() => undefined) };
  // A server takes longer to start than a ledger to open: the servers are started first.
  const begun = deferred<void>();
  const { guard, hold, auth, notify } = config.value;
  const runtime: Promise<Runtime> = begun.promise.then(() => {
    const told = notify && { notify: { ...notify, ...(desk && { page: desk.origin }) } };
    return parts.openRuntime({ guard, ...(hold && { hold }), ...asked, ...told });
  });
  runtime.catch(() => undefined);
  const pins = new DefinitionPins(places.pins);
  const stamp = stampOf(places.pins);
  const watch = new WatchFile(places.pins);
  const watchStamp = stampOf(watch.path);
  const changed = (): void => desk?.changed();
  const rules = () => {
    const { grants, effects } = config.value;
    return {
      grants: withPrincipals(grants, auth),
      effects,
      command: policy,
      // read when it is asked for: a call asks for its grants alone
      get watch() {
        return watch.current(Date.now());
      },
    };
  };
  const sessions = new Set<Session>();
  const gained = (tool: string): void => sessions.forEach((session) => markStale(session, tool));
  const tools = new GatewayTools(runtime, { pins, rules, changed, gained, say });
  const servers = new GatewayServers({
    connect: parts.connect,
    tools,
    ready: runtime,
    trustHints: allowsEffect(policy),
    say,
  });
  const desk: GatewayDesk | undefined = options.hasPage
    ? new GatewayDesk({
        tools,
        servers,
        config,
        ledger: places.ledger,
        runtime,
        command: policy,
        watch,
        say,
        show: options.show,
        port: options.pagePort,
      })
    : undefined;
  const close = closer({ runtime, servers, config, desk });
  options.signal.addEventListener('abort', () => void servers.close(), { once: true });
  try {
    const started = startServers(servers, serversOf(options, config));
    started.catch(() => undefined);
    await desk?.open();
    begun.resolve();
    const [opened] = await Promise.all([runtime, started]);
    await beginWatch(options, watch, tools);
    hookSessions(opened, {
      limits: () => config.value.limits,
      opened: (session) => {
        sessions.add(session);
        const leave = (): void => void sessions.delete(session);
        session.run.result.then(leave, leave);
        desk?.follow(session);
        tools.count(session);
      },
    });
    const hidePrefix = hiddenPrefix(serversOf(options, config));
    const words = {
      sources: () => servers.sources(),
      instructions: () => servers.instructions(),
      ...(hidePrefix !== undefined && { hidePrefix }),
    };
    const front = await parts.serve(opened, desk !== undefined, words, auth);
    introduce(options, { desk, front, tools, auth });
    tellWatch(options, watch, tools);
    tellStray(options, config, tools);
    const leave = follow({ options, config, servers, tools, pins, stamp, watch, watchStamp });
    const end = async (): Promise<void> => {
      leave();
      const sealed = front.close().catch(() => undefined);
      // A call that a server does not answer ends with its server.
      await Promise.race([sealed, wait(SEAL_MS, undefined, { ref: false })]);
      await servers.close();
      await Promise.race([sealed, wait(SEAL_MS, undefined, { ref: false })]);
      await close();
    };
    return { left: front.closed, close: end };
  } catch (error) {
    await close();
    throw error;
  }
}

function configOf({ config: named, places, environment, say }: GatewayOptions): ConfigFile {
  const config = new ConfigFile({ path: named ?? places.config, isNamed: named !== undefined, environment, say });
  config.load();
  return config;
}

/** The servers of a configuration that is named, or that is alone; and the server of the command line. */
function serversOf({ command, config: named }: GatewayOptions, config: ConfigFile): Record<string, ConfiguredServer> {
  const configured = named !== undefined || command === undefined ? config.value.mcpServers : {};
  if (command === undefined) return { ...configured };
  const [name, server] = command;
  if (Object.hasOwn(configured, name))
    throw new ConfigurationError(`${config.path} has a server "${name}" too: rename it, or leave out the command`);
  const prefixes = Object.entries(configured).map(([each, settings]) => prefixOf(each, settings));
  const met = prefixes.find((prefix) => prefixesMeet(prefix, prefixOf(name, server)));
  if (met !== undefined)
    throw new ConfigurationError(
      `${config.path} has a server with the prefix "${met}", and the command has "${name}": give the server another "prefix"`,
    );
  return { ...configured, [name]: server };
}

/** The prefix of a server that is alone, and whose tools have names without it at hosts. */
function hiddenPrefix(servers: Record<string, ConfiguredServer>): string | undefined {
  const [one, other] = Object.entries(servers).filter(([, { disabled }]) => disabled !== true);
  return one?.[1].prefix === '' && other === undefined ? prefixOf(...one) : undefined;
}

async function startServers(servers: GatewayServers, wanted: Record<string, ConfiguredServer>): Promise<void> {
  if (Object.keys(wanted).length === 0)
    throw new ConfigurationError(
      'No server is named: write a command behind --, or "mcpServers" into the configuration',
    );
  if ((await servers.apply(wanted)) === 0) throw new ConfigurationError('No server could be started');
}

interface Introduced {
  readonly desk: GatewayDesk | undefined;
  readonly front: GatewayFront;
  readonly tools: GatewayTools;
  readonly auth: TokenAuth | undefined;
}

function introduce(
  { policy, say, warn = say, show }: GatewayOptions,
  { desk, front: { address, token }, tools, auth }: Introduced,
): void {
  const hasBrowser = show !== undefined;
  for (const sentence of sentencesOf(policy)) say(sentence);
  for (const word of unknownWords(
    policy,
    tools.all().map((each) => each.tool),
  ))
    say(
      `No tool has the name ${visibleLine(word)} now: a name has its prefix, for example ${tools.all()[0]?.tool ?? 'files.read'}`,
    );
  const refused = tools.all().filter(({ changed }) => changed !== undefined);
  for (const { tool } of refused)
    say(`${visibleLine(tool)} is refused: its definition differs from the pinned definition`);
  if (address !== undefined && token !== undefined) say(`Serving ${address}, token ${token}`);
  if (address !== undefined && auth !== undefined)
    say(`Serving ${address} for whoever has a token of ${auth.issuer} for ${auth.audience}`);
  if (address !== undefined && token === undefined && auth === undefined)
    warn(`Serving ${address} WITHOUT A TOKEN: every program of this machine can call these tools`);
  if (address === undefined && auth !== undefined)
    say('"auth" is for --http: here are no persons, and a grant with "for" is for nobody');
  if (desk === undefined) say('No page is served: a host that cannot ask is refused');
  else if (hasBrowser && refused.length === 0) say('Questions are shown in your browser when they come');
  else void desk.call(refused.length === 0 ? 'Questions are shown' : 'Definitions that have changed are shown');
}

/** Tells of names in the configuration that no tool has: a grant that is misspelled looks like any other. */
function tellStray({ config: named, command, say }: GatewayOptions, config: ConfigFile, tools: GatewayTools): void {
  const names = tools.all().map(({ tool }) => tool);
  // gateways of several commands write into one file: each knows its own tools alone
  const isWhole = named !== undefined || command === undefined;
  const isKnown = (prefix: string): boolean => isWhole || names.some((name) => name.startsWith(`${prefix}.`));
  for (const line of strayNames(config.value, names, isKnown)) say(`${config.path} ${line}`);
}

interface Following {
  readonly options: GatewayOptions;
  readonly config: ConfigFile;
  readonly servers: GatewayServers;
  readonly tools: GatewayTools;
  readonly pins: DefinitionPins;
  /** The file of the pins before they were read. */
  readonly stamp: FileStamp;
  readonly watch: WatchFile;
  readonly watchStamp: FileStamp;
}

/** Takes changes of the configuration, definitions that another gateway has accepted, and a watch that begins or ends. */
function follow({ options, config, servers, tools, pins, stamp, watch, watchStamp }: Following): () => void {
  const failed = (error: unknown): void => options.say(visibleLine((error as Error).message));
  config.watch(() => {
    const apply = async () => {
      await servers.apply(serversOf(options, config));
      await tools.refresh();
      tellStray(options, config, tools);
    };
    apply().catch(failed);
  });
  const leavePins = watchFrom(pins.path, stamp, () => void tools.refresh().catch(failed));
  const leaveWatch = watchFrom(watch.path, watchStamp, () => {
    const apply = async () => {
      await tools.refresh();
      tellWatch(options, watch, tools);
    };
    apply().catch(failed);
  });
  return () => {
    leavePins();
    leaveWatch();
  };
}

/** Begins the watch of the command line, for the definitions that are as they were pinned. */
async function beginWatch({ watch: wish }: GatewayOptions, file: WatchFile, tools: GatewayTools): Promise<void> {
  if (wish === undefined) return;
  const pinned = tools.all().flatMap(({ definition, changed }) => (changed === undefined ? [definition] : []));
  const { isNew } = await file.begin(wish, pinned, Date.now(), true);
  if (isNew) await tools.refresh();
}

/** Tells the person, with each start, what a watch lets run. */
function tellWatch({ watch: wish, say }: GatewayOptions, file: WatchFile, tools: GatewayTools): void {
  const watch = file.current(Date.now());
  if (watch === undefined) {
    const over = wish && file.read();
    if (over !== undefined) say(`The watch has ended ${momentText(over.until)}: sallyport mcp watch begins another`);
    return;
  }
  const known = tools.all().filter(({ definition }) => watch.definitions.includes(definition));
  const lifted = known.filter((each) => isWatched(each, watch)).length;
  say(`Watching until ${momentText(watch.until)}: ${lifted} of ${tools.all().length} tools run where no rule speaks`);
  if (lifted < known.length)
    say('A tool that may send data out asks as before: give it an effect in the configuration, or watch with --egress');
}

interface Closing {
  readonly runtime: Promise<Runtime>;
  readonly servers: GatewayServers;
  readonly config: ConfigFile;
  readonly desk: GatewayDesk | undefined;
}

function closer({ runtime, servers, config, desk }: Closing): () => Promise<void> {
  return async () => {
    config.close();
    await Promise.allSettled([desk?.close(), servers.close(), runtime.then((opened) => opened.close())]);
  };
}

interface SessionHooks {
  readonly limits: () => GatewayConfiguration['limits'];
  /** Called with each session when it opens. */
  readonly opened: (session: Session) => void;
}

/** Gives the sessions of a runtime the limits of the configuration. */
function hookSessions(runtime: Runtime, hooks: SessionHooks): void {
  const { openSession } = runtime;
  runtime.openSession = (options = {}) => {
    const session = openSession({ ...options, limits: { ...hooks.limits(), ...options.limits } });
    hooks.opened(session);
    return session;
  };
}
