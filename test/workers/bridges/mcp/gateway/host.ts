import { request as httpRequest } from 'node:http';
import { PassThrough } from 'node:stream';
import type { RuleDraft, TriedDraft } from '../../../../../core/privilege/revise.ts';

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** Result of `tools/call` as a test reads it. */
export interface CallResult {
  readonly isError?: boolean;
  readonly content: readonly { readonly text?: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
}

/** Input and output of a program that speaks lines of JSON-RPC. */
export interface Wire {
  readonly write: (line: string) => void;
  readonly onData: (listener: (chunk: string) => void) => void;
}

/** A host written by hand, of version 2025-11-25. With `elicits`, it answers elicitations by this function. */
export class Host {
  readonly #wire: Wire;
  readonly #waiting = new Map<number | string, (message: Message) => void>();
  readonly #elicits: ((params: Message['params']) => object | undefined) | undefined;
  readonly #extensions: { readonly [name: string]: object } | undefined;
  readonly told: string[] = [];
  /** Text for models that the server has sent. */
  instructions: string | undefined;
  /** Every line that came. */
  readonly received: string[] = [];
  #last = 0;

  constructor(
    wire: Wire,
    elicits?: (params: Message['params']) => object | undefined,
    extensions?: { readonly [name: string]: object },
  ) {
    this.#wire = wire;
    this.#elicits = elicits;
    this.#extensions = extensions;
    let rest = '';
    wire.onData((chunk) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      this.received.push(...lines);
      for (const line of lines) this.#take(JSON.parse(line) as Message);
    });
  }

  async begin(): Promise<void> {
    const extensions = this.#extensions && { extensions: this.#extensions };
    const capabilities = { ...(this.#elicits && { elicitation: {} }), ...extensions };
    const clientInfo = { name: 'test', version: '1.0.0' };
    const begun = await this.ask('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo });
    this.instructions = (begun as { readonly instructions?: string }).instructions;
    this.#send({ method: 'notifications/initialized' });
  }

  async tools(): Promise<readonly { readonly name: string; readonly description?: string }[]> {
    return ((await this.ask('tools/list', {})) as { tools: { name: string }[] }).tools;
  }

  call(name: string, args: object = {}): Promise<CallResult> {
    return this.ask('tools/call', { name, arguments: args }) as Promise<CallResult>;
  }

  ask(method: string, params: object): Promise<unknown> {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ result, error }) =>
        error === undefined ? resolve(result) : reject(new Error(JSON.stringify(error))),
      );
      this.#send({ id, method, params });
    });
  }

  /** Gives up the newest request. */
  cancel(): void {
    this.#send({ method: 'notifications/cancelled', params: { requestId: this.#last } });
  }

  #take(message: Message): void {
    if (message.method === undefined) return this.#waiting.get(message.id ?? '')?.(message);
    this.told.push(message.method);
    if (message.method !== 'elicitation/create' || message.id === undefined) return;
    const result = this.#elicits?.(message.params);
    if (result !== undefined) this.#send({ id: message.id, result });
  }

  #send(message: object): void {
    this.#wire.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}

/** Two streams for a server in this process, and the wire of its host. */
export function pipes(): {
  readonly streams: { readonly input: PassThrough; readonly output: PassThrough };
  readonly wire: Wire;
} {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const wire = {
    write: (line: string) => void input.write(line),
    onData: (listener: (chunk: string) => void) => void output.on('data', (chunk) => listener(String(chunk))),
  };
  return { streams: { input, output }, wire };
}

export interface PageState {
  readonly title: string;
  readonly questions: readonly { readonly id: string; readonly html: string }[];
  readonly changes: readonly { readonly id: string; readonly html: string }[];
  readonly effects: readonly { readonly id: string; readonly html: string }[];
  readonly watch: string;
  readonly tools: string;
  readonly runs: string;
  readonly servers: string;
}

/** Everything that is permitted, as the page lists it. */
export interface AllowedState {
  readonly note: string;
  readonly grants: readonly { readonly id: string; readonly html: string }[];
  readonly sources: readonly { readonly id: string; readonly html: string }[];
}

/** What a card says of the tool that it shows, as the page's script reads it. */
export interface Seen {
  readonly definition: string;
  readonly revision: number;
}

export function seenOn(html: string): Seen {
  const [, definition = '', revision = ''] = /data-definition="([^"]*)" data-revision="(\d+)"/.exec(html) ?? [];
  return { definition, revision: Number(revision) };
}

/** What the gateway answers about a rule. */
export interface RuleAnswer {
  readonly status: number;
  readonly message?: string;
  readonly draft?: RuleDraft;
  readonly replaces?: number;
  readonly tried?: TriedDraft;
}

interface Edited {
  readonly args: string;
  readonly digest: string;
}

/** What the gateway answers to an edit: the card of the edited call, or why there is none. */
export interface EditAnswer {
  readonly status: number;
  readonly message?: string;
  readonly html?: string;
  readonly instead?: Edited;
}

/** A tab of the gateway's page, without a browser. */
export class Tab {
  readonly #origin: string;
  readonly #cards = new Map<string, string>();
  #headers: Record<string, string> = {};

  constructor(address: string) {
    this.#origin = new URL(address).origin;
  }

  static async open(address: string): Promise<Tab> {
    const tab = new Tab(address);
    const { body, cookie } = await tab.#ask('GET', address.slice(tab.#origin.length));
    tab.#headers = { cookie, 'x-sallyport-key': /name="key" content="([^"]+)"/.exec(body)?.[1] ?? '' };
    return tab;
  }

  async state(): Promise<PageState> {
    const state = JSON.parse((await this.#ask('GET', '/state?since=0')).body) as PageState;
    for (const { html } of state.questions) this.#cards.set(digestOn(html), html);
    return state;
  }

  /** Waits for a question that the page shows, and returns its digest. */
  async question(): Promise<string> {
    for (;;) {
      const [first] = (await this.state()).questions;
      if (first !== undefined) return digestOn(first.html);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Answers the question as the newest card of this tab shows it, or as it was `seen`. */
  answer(
    digest: string,
    answer: string,
    seen: Seen & { readonly effect?: string; readonly instead?: Edited } = seenOn(this.#cards.get(digest) ?? ''),
  ): Promise<{ readonly status: number; readonly message: string }> {
    return this.#act('/answer', { digest, answer, ...seen });
  }

  /** Has a question's call judged with other arguments, as the field of its card does. */
  async edit(digest: string, args: string, seen: Seen = seenOn(this.#cards.get(digest) ?? '')): Promise<EditAnswer> {
    const { status, body } = await this.#ask('POST', '/edit', JSON.stringify({ digest, args, ...seen }));
    return { status, ...(JSON.parse(body) as object) };
  }

  /** Says yes to an edited call: with what its card has brought, to the question with this digest. */
  approve(digest: string, { html = '', instead = { args: '', digest: '' } }: EditAnswer): ReturnType<Tab['answer']> {
    return this.answer(digest, 'once', { ...seenOn(html), instead });
  }

  /** Accepts the definition that a card shows. */
  accept(html: string): Promise<{ readonly status: number; readonly message: string }> {
    const [, pinned = ''] = /data-pinned="([^"]+)"/.exec(html) ?? [];
    return this.#act('/accept', { pinned, ...seenOn(html) });
  }

  /** Takes back the entry that a card shows. */
  takeBack(html: string): Promise<{ readonly status: number; readonly message: string }> {
    return this.#act('/take-back', { digest: digestOn(html) });
  }

  /** The list of what is allowed, as the button of the page reads it. */
  async allowed(): Promise<AllowedState> {
    return JSON.parse((await this.#ask('POST', '/allowed', '{}')).body) as AllowedState;
  }

  /** Opens a held value by the button beside its step. Waits until the page shows it. */
  async held(step: number): Promise<{ readonly status: number; readonly html?: string }> {
    for (;;) {
      const [, handle, run] =
        new RegExp(`data-held="([^"]+)" data-run="([^"]+)">Open the held value of step ${step}<`).exec(
          (await this.state()).runs,
        ) ?? [];
      if (handle === undefined) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        continue;
      }
      const { status, body } = await this.#ask('POST', '/held', JSON.stringify({ run, handle }));
      return { status, ...(JSON.parse(body) as object) };
    }
  }

  /** Asks about the rule of a tool, as the dialog of the page does. */
  async rule(id: string, tool: string, act: string, changes: object = {}): Promise<RuleAnswer> {
    for (;;) {
      const { status, body } = await this.#ask('POST', '/rule', JSON.stringify({ id, tool, act, changes }));
      if (status !== 202) return { status, ...(JSON.parse(body) as object) };
    }
  }

  /** Has a step of a run taken back, by the button that the page shows beside it. */
  async undo(step: number): Promise<{ readonly status: number; readonly message: string }> {
    const { runs } = await this.state();
    const [, run] = new RegExp(`data-undo="([^"]+)" data-step="${step}"`).exec(runs) ?? [];
    return this.#act('/undo', { run, step });
  }

  /** Begins or ends a watch, as the buttons of the page do. */
  watch(wish: object): Promise<{ readonly status: number; readonly message: string }> {
    return this.#act('/watch', wish);
  }

  async #act(path: string, body: object): Promise<{ readonly status: number; readonly message: string }> {
    const { status, body: text } = await this.#ask('POST', path, JSON.stringify(body));
    return { status, message: (JSON.parse(text) as { message: string }).message };
  }

  #ask(method: string, path: string, body = ''): Promise<{ status: number; body: string; cookie: string }> {
    const { port, host } = new URL(this.#origin);
    const headers = { host, origin: this.#origin, 'content-type': 'application/json', ...this.#headers };
    return new Promise((resolve, reject) => {
      const sent = httpRequest({ host: '127.0.0.1', port, method, path, headers }, (response) => {
        let text = '';
        response.on('data', (chunk) => (text += String(chunk)));
        const cookie = (response.headers['set-cookie']?.[0] ?? '').split(';')[0] ?? '';
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text, cookie }));
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }
}

function digestOn(html: string): string {
  return /data-digest="([^"]+)"/.exec(html)?.[1] ?? '';
}
