import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  ProtocolError,
  type RequestStateCodec,
  Server,
} from '@modelcontextprotocol/server';
import { defineCodeTool } from '../../../../core/capability/code-tool.ts';
import { refuse } from '../../../../core/errors.ts';
import { canonicalText } from '../../../../core/json/canonical.ts';
import { utf8Length } from '../../../../core/json/utf8.ts';
import { isObject, type JsonObject } from '../../../../core/json/value.ts';
import type { LedgerRecord } from '../../../../core/ledger/record.ts';
import { HANDLES } from '../../../../core/run/observe.ts';
import type { ApprovalAnswer, ApprovalRequest, Runtime } from '../../../api.ts';
import { makeSerialQueue } from '../../../async.ts';
import { servingParts } from '../../../client/serving.ts';
import { warn } from '../../../client/warn.ts';
import { PACKAGE_VERSION } from '../../../package-version.ts';
import { CallHandler, type CallHandlerParts, canElicit, type RequestState, type ServedResult } from './call-handler.ts';
import { CallerSession, type CallerTerms, type SessionAsker } from './caller-session.ts';
import type { GatedCall } from './gated-call.ts';
import { CLIENT_GONE, HandedQuestions, PendingCalls } from './gated-call.ts';
import type { ServeTerms } from './options.ts';
import { type GivenLists, PassedOn, ResourceClaims, servePrompts } from './passed-on.ts';
import { ProgressRelay } from './progress-relay.ts';
import { APPS, ServedTools } from './tools.ts';
import { recordErrors, refusalFault } from './turned-away.ts';

/** ms in which changes of the tools become a single notification. */
const TELL_MS = 20;

/** A client with its session, and with its calls under way. */
export class ServedClient {
  readonly session: CallerSession;
  /** Lists of resources and prompts. */
  readonly lists: CallerSession;
  /** Ids of the runs that this client may read. */
  readonly runs: Set<string>;
  readonly given: GivenLists = new Map();
  readonly open: Set<GatedCall> = new Set();
  readonly handed: HandedQuestions = new HandedQuestions();
  readonly pending: PendingCalls<ServedResult> = new PendingCalls();

  readonly #isOwn: boolean;

  /** @param of client of the same principal, whose sessions this client shares */
  constructor(
    makeSession: (runs: Set<string>, terms?: CallerTerms) => CallerSession,
    runs: Set<string>,
    asker?: SessionAsker,
    of?: ServedClient,
  ) {
    this.runs = of?.runs ?? runs;
    this.session = of?.session ?? makeSession(this.runs, asker);
    this.lists = of?.lists ?? makeSession(this.runs, { isForLists: true });
    this.#isOwn = of === undefined;
  }

  /** Denies the open questions, ends the calls under way and those that wait for them, and seals a run of its own. */
  async close(): Promise<void> {
    const gone = new DOMException('The client has gone.', 'AbortError');
    for (const call of this.open) call.giveUp(gone, CLIENT_GONE);
    this.handed.close();
    if (!this.#isOwn) return;
    const message = 'The client has closed the connection.';
    await Promise.all([this.session.close(message), this.lists.close(message)]);
  }
}

/** The tools and the ledger of a runtime, as servers of the SDK show them to clients. */
export class ServedRuntime {
  readonly terms: ServeTerms;
  readonly #runtime: Runtime;
  readonly #tools: ServedTools;
  readonly #approve: ((request: ApprovalRequest) => Promise<ApprovalAnswer>) | undefined;
  readonly #codec: RequestStateCodec<RequestState>;
  readonly #progress: ProgressRelay;
  /** Runs of the clients that are no principals. */
  readonly #runs = new Set<string>();
  readonly #claims = new ResourceClaims();
  readonly #clients = new Set<ServedClient>();
  readonly #listeners = new Set<() => void>();
  readonly #leave: (() => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Results can be held, as far as it was known at the last change of the tools. */
  #canHold = false;
  #code: Awaited<ReturnType<typeof keepCodeTool>> | undefined;

  constructor(runtime: Runtime, terms: ServeTerms) {
    const parts = servingParts(runtime);
    this.terms = terms;
    this.#runtime = runtime;
    const names = terms.names && [...terms.names, ...(terms.code ? [CODE] : [])];
    this.#tools = new ServedTools(runtime, names, terms, parts?.offering);
    this.#approve = parts?.approve;
    this.#progress = new ProgressRelay(terms.sources);
    const key = crypto.getRandomValues(new Uint8Array(32));
    this.#codec = createRequestStateCodec({ key, bind: ({ mcpReq }) => mcpReq.method });
    this.#leave = parts?.changed(() => void this.#update());
  }

  /** Prepares the tools. */
  async begin(): Promise<void> {
    if (this.terms.code) this.#code = await keepCodeTool(this.#runtime, this.#tools);
    this.#canHold = (await this.#tools.held()) !== undefined;
  }

  /** @param of client of the same principal: uses, limits and labels count for both */
  client(asker?: SessionAsker, of?: ServedClient): ServedClient {
    const makeSession = (runs: Set<string>, given?: CallerTerms) =>
      new CallerSession(this.#runtime, this.#tools, runs, given);
    // the runs of a principal are nobody else's
    const runs = asker?.principal === undefined ? this.#runs : new Set<string>();
    const client = new ServedClient(makeSession, runs, asker, of);
    this.#clients.add(client);
    return client;
  }

  /** Ends a client. */
  async leave(client: ServedClient): Promise<void> {
    this.#clients.delete(client);
    await client.close();
  }

  /** Has the listener called after each change of the tools. Returns a function that ends this. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** A server of the SDK for one connection, or for one request of the version without connections. */
  server(client: ServedClient, isStateless: boolean): Server {
    const tools = { listChanged: true };
    const { session, lists, runs, given, handed, open, pending } = client;
    const instructions = this.#instructions();
    const server: Server = new Server(
      { name: this.terms.name, version: PACKAGE_VERSION },
      {
        capabilities: { tools, resources: {}, prompts: {} },
        ...(instructions !== undefined && { instructions }),
        requestState: { verify: (state, ctx) => this.#codec.verify(state, ctx) },
        inputRequired: { legacyShim: false },
      },
    );
    recordErrors(server, session);
    const parts: Omit<CallHandlerParts, 'session'> = {
      handed,
      open,
      pending,
      progress: this.#progress,
      isStateless,
      tools: this.#tools,
      codec: this.#codec,
      terms: this.terms,
      approve: this.#approve,
      elicits: () => canElicit(server.getClientCapabilities()),
    };
    const handler = new CallHandler({ ...parts, session });
    const { read: list } = new CallHandler({ ...parts, session: lists });
    const hasApps = (declared: unknown): boolean => showsApps(declared ?? server.getClientCapabilities());
    server.setRequestHandler('tools/list', async (_, { mcpReq }) => {
      const envelope: { readonly [name: string]: unknown } | undefined = mcpReq.envelope;
      return { tools: [...(await this.#tools.list(hasApps(envelope?.[CLIENT_CAPABILITIES_META_KEY])))] } as never;
    });
    const { hidePrefix } = this.terms;
    const passed = new PassedOn({
      tools: this.#tools,
      read: handler.read,
      list,
      given,
      claims: this.#claims,
      hidePrefix,
    });
    server.setRequestHandler('tools/call', async ({ params: { name } }, ctx) => {
      const result = await handler.handle(name, ctx);
      await passed
        .noteLinks(name, result['content'])
        .catch((error: unknown) => warn('sallyport: the links of an answer', error));
      return result as never;
    });
    serveResources(server, this.#runtime, { runs, passed });
    servePrompts(server, passed);
    return server;
  }

  /** Where results can be held, models are told how handles are written. */
  #instructions(): string | undefined {
    const told = [this.#canHold ? HANDLES : undefined, this.terms.instructions()].filter((each) => each !== undefined);
    return told.length === 0 ? undefined : told.join('\n\n');
  }

  async close(): Promise<void> {
    this.#leave?.();
    clearTimeout(this.#timer);
    await Promise.allSettled([...this.#clients].map((client) => this.leave(client)));
    await this.#code?.remove().catch(() => undefined);
  }

  async #update(): Promise<void> {
    // the tool `code` would tell of the others
    const isChanged = await this.#tools.isChanged().catch(() => !this.#tools.isKeeping);
    if (!this.#tools.isKeeping) await this.#code?.update();
    this.#canHold = (await this.#tools.held().catch(() => undefined)) !== undefined;
    if (!isChanged) return;
    this.#timer ??= setTimeout(() => this.#tell(), TELL_MS);
  }

  #tell(): void {
    this.#timer = undefined;
    for (const listener of this.#listeners) listener();
  }
}

/** True for a host that shows MCP Apps. */
function showsApps(capabilities: unknown): boolean {
  const extensions = isObject(capabilities) ? capabilities['extensions'] : undefined;
  return isObject(extensions) && isObject(extensions[APPS]);
}

const RUNS = 'sallyport://runs';
const JSON_TYPE = 'application/json';
const LINES_TYPE = 'application/jsonl';

const TEMPLATES = [
  { uriTemplate: `${RUNS}/{run}`, name: 'run', description: 'The records of a run.', mimeType: JSON_TYPE },
  {
    uriTemplate: `${RUNS}/{run}/export`,
    name: 'export',
    description: 'A run as a file for sallyport verify and sallyport replay, without secrets.',
    mimeType: LINES_TYPE,
  },
  {
    uriTemplate: `${RUNS}/{run}/receipts/{step}`,
    name: 'receipt',
    description: 'The record that ends a step.',
    mimeType: JSON_TYPE,
  },
] as const;

/** UTF-8 bytes of a resource. A longer export is read from the ledger itself. */
const RESOURCE_BYTES = 16 << 20;

const INVALID_PARAMS = -32_602;

interface ServedResources {
  readonly runs: ReadonlySet<string>;
  readonly passed: PassedOn;
}

/**
 * Serves the runs of this server's own clients, those of a principal to it alone, and the resources of the servers behind the gate. Runs of other callers
 * may hold data that these clients may not read.
 */
function serveResources(server: Server, runtime: Runtime, { runs, passed }: ServedResources): void {
  server.setRequestHandler('resources/list', async (_, ctx) => ({
    resources: [
      ...((await passed.resources(ctx)) as never[]),
      { uri: RUNS, name: 'runs', description: 'The runs of this server.', mimeType: JSON_TYPE },
      ...[...runs].map((run) => ({ uri: `${RUNS}/${run}`, name: `run ${run}`, mimeType: JSON_TYPE })),
    ],
  }));
  server.setRequestHandler('resources/templates/list', async (_, ctx) => ({
    resourceTemplates: [...((await passed.templates(ctx)) as never[]), ...TEMPLATES.map((each) => ({ ...each }))],
  }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }, ctx) => {
    const read = uri.startsWith(RUNS) ? undefined : await passed.resource(uri, ctx);
    if (read !== undefined) return read as never;
    const text = await textOf(uri, runtime, runs);
    if (text === undefined) throw new ProtocolError(INVALID_PARAMS, 'There is no such resource.', { uri });
    const used = utf8Length(text);
    if (used > RESOURCE_BYTES)
      throw new ProtocolError(INVALID_PARAMS, `The resource has ${used} bytes, the limit is ${RESOURCE_BYTES}.`, {
        uri,
      });
    const mimeType = uri.endsWith('/export') ? LINES_TYPE : JSON_TYPE;
    return { contents: [{ uri, mimeType, text }] };
  });
}

async function textOf(uri: string, runtime: Runtime, runs: ReadonlySet<string>): Promise<string | undefined> {
  if (uri === RUNS) return canonicalText(await rowsOf(runtime, runs));
  const [, run, part, step] =
    /^sallyport:\/\/runs\/([0-9a-f-]{36})(?:\/(export|receipts)(?:\/([0-9a-f-]{36}))?)?$/.exec(uri) ?? [];
  if (run === undefined || !runs.has(run) || (part === 'export' && step !== undefined)) return undefined;
  const records = await runtime.ledger.records(run);
  if (isHolding(records))
    throw refusalFault(INVALID_PARAMS, refuse('hold_unsupported', { what: 'its records' }).refusal);
  if (part === undefined) return canonicalText(records);
  if (part === 'export') return runtime.ledger.export(run);
  const found = records.find((record) => record.kind === 'receipt' && record.body.receipt.step_id === step);
  return found && canonicalText(found);
}

/** True for the records of a run that holds. They tell, and be it by their number, what the outcomes were. */
function isHolding([first]: readonly LedgerRecord[]): boolean {
  return first?.kind === 'configuration' && first.body.holding === true;
}

async function rowsOf(runtime: Runtime, runs: ReadonlySet<string>): Promise<readonly JsonObject[]> {
  const rows = (await runtime.runs()).filter(({ run_id }) => runs.has(run_id));
  return Promise.all(
    rows.map(async ({ run_id, records, head, sealed }) => {
      const counts = isHolding(await runtime.ledger.records(run_id)) ? {} : { records, head, sealed };
      return { run_id, ...counts, uri: `${RUNS}/${run_id}` };
    }),
  );
}

/** Name of the tool through which a model sends a program. */
const CODE = 'code';

/**
 * Keeps a tool `code` over the offered tools, granted by itself: each call inside a program needs the grant of its tool.
 * Returns a function that updates it, and one that removes it. Throws `capability_twice` where the name is taken.
 */
async function keepCodeTool(
  runtime: Runtime,
  tools: ServedTools,
): Promise<{ readonly update: () => Promise<void>; readonly remove: () => Promise<void> }> {
  const inTurn = makeSerialQueue();
  let known: string | undefined;
  const remove = async (): Promise<void> => {
    if (known === undefined) return;
    known = undefined;
    await runtime.capabilities.remove(CODE);
  };
  const put = async (): Promise<void> => {
    const rows = (await tools.rows()).filter(({ name }) => name !== CODE);
    const hashes = rows.map(({ hash }) => hash).join();
    if (hashes === known) return;
    const definition = defineCodeTool({ name: CODE, tools: rows });
    await remove();
    await runtime.capabilities.register(definition);
    known = hashes;
    await runtime.capabilities.enable(CODE);
    await runtime.grants.grant({ capability: CODE, mode: 'allow' });
  };
  await inTurn(put);
  return {
    update: () => inTurn(put).catch((error: unknown) => warn('sallyport: the tool code', error)),
    remove: () => inTurn(remove),
  };
}
