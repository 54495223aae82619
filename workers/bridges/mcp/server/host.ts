import { createRequestStateCodec, type RequestStateCodec, Server } from '@modelcontextprotocol/server';
import type { ApprovalAnswer, ApprovalRequest, Runtime } from '../../../api.ts';
import { servingParts } from '../../../client/serving.ts';
import { VERSION } from '../version.ts';
import { CallHandler, canElicit, type RequestState } from './call-handler.ts';
import { CallerSession } from './caller-session.ts';
import { CODE, keepCodeTool } from './code-tool.ts';
import type { GatedCall } from './gated-call.ts';
import type { ServeTerms } from './options.ts';
import { CLIENT_GONE, HandedQuestions } from './questions.ts';
import { serveResources } from './resources.ts';
import { ServedTools } from './tools.ts';
import { recordErrors } from './turned-away.ts';

/** ms in which changes of the tools become a single notification. */
const TELL_MS = 20;

/** A client with its session, and with its calls under way. */
export class ServedClient {
  readonly session: CallerSession;
  readonly open: Set<GatedCall> = new Set();
  readonly handed: HandedQuestions = new HandedQuestions();

  constructor(session: CallerSession) {
    this.session = session;
  }

  /** Denies the open questions, ends the calls under way and seals the run. */
  async close(): Promise<void> {
    this.handed.close();
    for (const call of this.open) call.denyAll(CLIENT_GONE);
    await this.session.close('The client has closed the connection.');
  }
}

/** The tools and the ledger of a runtime, as servers of the SDK show them to clients. */
export class ServedRuntime {
  readonly terms: ServeTerms;
  readonly #runtime: Runtime;
  readonly #tools: ServedTools;
  readonly #approve: ((request: ApprovalRequest) => Promise<ApprovalAnswer>) | undefined;
  readonly #codec: RequestStateCodec<RequestState>;
  readonly #runs = new Set<string>();
  readonly #clients = new Set<ServedClient>();
  readonly #listeners = new Set<() => void>();
  readonly #leave: (() => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #code: Awaited<ReturnType<typeof keepCodeTool>> | undefined;

  constructor(runtime: Runtime, terms: ServeTerms) {
    const parts = servingParts(runtime);
    this.terms = terms;
    this.#runtime = runtime;
    this.#tools = new ServedTools(runtime, terms.names && [...terms.names, ...(terms.code ? [CODE] : [])]);
    this.#approve = parts?.approve;
    const key = crypto.getRandomValues(new Uint8Array(32));
    this.#codec = createRequestStateCodec({ key, bind: ({ mcpReq }) => mcpReq.method });
    this.#leave = parts?.changed(() => void this.#update());
  }

  /** Prepares the tools. */
  async begin(): Promise<void> {
    if (this.terms.code) this.#code = await keepCodeTool(this.#runtime, this.#tools);
  }

  client(): ServedClient {
    const client = new ServedClient(new CallerSession(this.#runtime, this.#tools, this.#runs));
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
    const { session, handed, open } = client;
    const server: Server = new Server(
      { name: this.terms.name, version: VERSION },
      {
        capabilities: { tools, resources: {} },
        requestState: { verify: (state, ctx) => this.#codec.verify(state, ctx) },
        inputRequired: { legacyShim: false },
      },
    );
    recordErrors(server, session);
    const handler = new CallHandler({
      session,
      handed,
      open,
      isStateless,
      tools: this.#tools,
      codec: this.#codec,
      terms: this.terms,
      approve: this.#approve,
      elicits: () => canElicit(server.getClientCapabilities()),
    });
    server.setRequestHandler('tools/list', async () => ({ tools: [...(await this.#tools.list())] }) as never);
    server.setRequestHandler('tools/call', (request, ctx) => handler.handle(request.params.name, ctx) as never);
    serveResources(server, this.#runtime, this.#runs);
    return server;
  }

  async close(): Promise<void> {
    this.#leave?.();
    clearTimeout(this.#timer);
    await Promise.allSettled([...this.#clients].map((client) => this.leave(client)));
    await this.#code?.remove().catch(() => undefined);
  }

  async #update(): Promise<void> {
    this.#tools.refresh();
    await this.#code?.update();
    this.#timer ??= setTimeout(() => this.#tell(), TELL_MS);
  }

  #tell(): void {
    this.#timer = undefined;
    for (const listener of this.#listeners) listener();
  }
}
