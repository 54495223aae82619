/** Public types of `fromMcp`. They name no type of the SDK, which is bundled. */

import type { Effect, Held, Label } from '../../../../core/capability/guard.ts';
import type { Code } from '../../../../core/errors.ts';
import type { JsonObject, JsonValue } from '../../../../core/json/value.ts';
import type { ToolSource } from '../../../api.ts';
import type { RefusedFunction } from '../../models/functions.ts';

/** Access to a remote server: a bearer token, a function that gives the current one, or a person's sign-in by OAuth. */
export type McpAuthorization = string | (() => string | Promise<string>) | McpSignIn;

/**
 * Sign-in by OAuth 2.1 with PKCE. Tokens, the registered client and its secret stay in this process's memory, for one
 * source; they are in no record, message or error.
 */
export interface McpSignIn {
  /** Address that the authorization server sends the person back to, registered for this program. */
  readonly redirectUrl: string;
  /**
   * Shows the person the authorization server's page, and resolves with the full address that the person was sent back
   * to. The address is checked: its `state`, and its issuer where the server names one.
   */
  redirect(url: string): string | Promise<string>;
  /** Name of this program on the authorization server's page; default `Sallyport`. */
  readonly clientName?: string;
  /** Client that is registered already. Absent: the program is registered dynamically. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** Address of a document that describes this program, for servers that take it in the place of a registration. */
  readonly clientMetadataUrl?: string;
  readonly scope?: string;
}

/** A server behind streamable HTTP. */
export interface McpHttpServer {
  readonly url: string;
  /** Further headers of each request. Their values are in no record, message or error. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly authorization?: McpAuthorization;
  /**
   * In a page: further origins that its door may ask, without `headers`, for example the authorization server of a
   * sign-in.
   */
  readonly alsoAsk?: readonly string[];
  /** In a page: folder of its origin with `worker-endpoint.js`, where no bundler placed it. */
  readonly assets?: string;
}

/** A server that runs as a child process and speaks over its standard input and output. Node only. */
export interface McpCommand {
  readonly command: string;
  readonly args?: readonly string[];
  /** Variables of the child, beside the few that the platform needs. Other variables of this process are not passed on. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** A transport of the program's own, in the form of the official SDK. It is used once and not opened again. */
export interface McpTransport {
  start(): Promise<void>;
  send(message: never, options?: never): Promise<void>;
  close(): Promise<void>;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: never, extra?: never) => void) | undefined;
}

export type McpServer = McpHttpServer | McpCommand | { readonly transport: McpTransport };

/** A tool as its server declares it. All of it is a stranger's word. */
export interface McpTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: {
    readonly title?: string;
    readonly readOnlyHint?: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint?: boolean;
  };
  /** The part of MCP Apps, `ui`, alone. */
  readonly _meta?: JsonObject;
}

/** A value for all tools of a server, or for each tool. */
export type ForMcpTool<T> = T | ((tool: McpTool) => T);

/**
 * An event of a server that changes no tool. Texts in it are a stranger's, with invisible characters made visible, and
 * at most 2,000 characters long.
 */
export type McpNotice =
  /** A message of the server's log, or a line of the child's standard error. */
  | { readonly kind: 'log'; readonly level: string; readonly text: string }
  /** Progress of a call. */
  | {
      readonly kind: 'progress';
      readonly tool: string;
      readonly step_id: string;
      readonly progress: number;
      readonly total?: number;
      readonly text?: string;
    }
  /** A request of the server for sampling, roots, elicitation or another act, which was refused. */
  | { readonly kind: 'request_refused'; readonly method: string }
  /** Bytes of the server that were refused before any parser of messages saw them. */
  | { readonly kind: 'message_refused'; readonly code: Code; readonly text: string }
  /** A tool of the list that was not taken. */
  | { readonly kind: 'tool_refused'; readonly name?: string; readonly code: Code; readonly text: string }
  /** A part of a list that was not taken: an output schema, whose tool goes without it, or what follows after 1,000 tools. */
  | { readonly kind: 'part_refused'; readonly name?: string; readonly code: Code; readonly text: string }
  /** An answer over 12 MiB: the receipt names it by its hash and length, and no copy is kept. */
  | {
      readonly kind: 'answer_left_out';
      readonly tool: string;
      readonly step_id: string;
      readonly code: Code;
      readonly text: string;
    }
  /** The connection was lost or opened again. */
  | { readonly kind: 'connection'; readonly status: McpStatus; readonly text: string }
  /** Another notification of the server. */
  | { readonly kind: 'notification'; readonly method: string }
  /** Notices that were left out, because the server sent too many. */
  | { readonly kind: 'skipped'; readonly count: number };

export type McpStatus = 'connected' | 'connecting' | 'failed' | 'closed';

export interface McpOptions {
  /** Word before each name, with a point: `files` makes `files.read` of `read`. */
  readonly prefix: string;
  /** Default `egress`, the strictest effect. A hint of the server can only make it stricter, unless `trustHints`. */
  readonly effect?: ForMcpTool<Effect>;
  /** Default `private` and `untrusted`. */
  readonly labels?: ForMcpTool<readonly Label[]>;
  /** Which results are held, so that no model reads them: `true`, or those whose labels have this one. */
  readonly held?: Held | ((tool: McpTool) => Held | undefined);
  /** True: the server's hints decide about the effect of a tool that has hints. */
  readonly trustHints?: boolean;
  /** Names of the server's tools that are taken, as the server spells them. Absent: all. */
  readonly names?: readonly string[];
  /** ms; default five minutes. */
  readonly timeoutMs?: number;
  /**
   * True: `resources.list` and `resources.read` list and read the server's resources. Reading sends an address of the
   * model's to the server, so it has the effect and the labels of the server's tools; listing is `read`, unless a function
   * `effect` says otherwise.
   */
  readonly resources?: boolean;
  /** True: `prompts.list` and `prompts.get` list and read the server's prompts, under the same terms. */
  readonly prompts?: boolean;
  /**
   * `'text'`: a number in an answer that no double holds, such as an id of 64 bits, is taken as the text of its digits, also
   * where the output schema says that it is a number. Absent: its call fails with `number_precision`. No number is ever
   * rounded. For servers behind `url` and `command`.
   */
  readonly numbers?: 'text';
  /** Ends the attempt to connect. */
  readonly signal?: AbortSignal;
  /** Told what the server says beside its tools. It may be called at any time until the source is closed. */
  readonly onNotice?: (notice: McpNotice) => void;
}

/** Progress of a call, as its server tells it. The text is a stranger's, made visible. */
export interface McpProgress {
  readonly step_id: string;
  readonly progress: number;
  readonly total?: number;
  readonly text?: string;
}

/** Name and version of a server, as the server gives them. */
export interface McpServerInfo {
  readonly name: string;
  readonly version: string;
  /** Version of the protocol that is spoken with the server. */
  readonly protocol: string;
  /** Text of the server for models, made visible. It is shown to no model, and obeyed by no part of the runtime. */
  readonly instructions?: string;
}

/** The tools of a server, for `openRuntime({ tools })`. */
export interface McpSource extends ToolSource {
  /** Place that arguments go to: `mcp:https://host/path` or `mcp:stdio:COMMAND ARG…`. It is part of each tool's hash. */
  readonly origin: string;
  readonly server: McpServerInfo;
  readonly status: McpStatus;
  /** Declarations of the newest list that became no tool, with their reasons. */
  readonly refused: readonly RefusedFunction[];
  /** The server's declaration of a tool, by the name that the tool has here. */
  declaration(name: string): McpTool | undefined;
  /** Has the listener told the progress of calls that begin from now on. Returns a function that ends this. */
  onProgress(listener: (progress: McpProgress) => void): () => void;
}

/** Value of a call whose tool declares no output schema. */
export interface McpContent {
  /**
   * Pictures, sounds and files beyond 512 KiB of base64 are left out, and texts for which a value has no room: `omitted`
   * is their length in bytes. Absent where it and the structured content together are too long for a value.
   */
  readonly content?: readonly JsonValue[];
  readonly structuredContent?: JsonValue;
}
