import type { AuthorTerms } from '../../../../core/capability/grant-terms.ts';
import type { Effect, Hold, Label } from '../../../../core/capability/guard.ts';
import { decode } from '../../../../core/json/decode.ts';
import { decodeUtf8 } from '../../../../core/json/utf8.ts';
import { isObject, pointerTo } from '../../../../core/json/value.ts';
import type { CallerLimit, RunLimits } from '../../../../core/limits.ts';
import type { Refusal } from '../../../../core/outcome.ts';
import { visibleLine } from '../../../../core/text/visible.ts';
import { isNotifySecret, isNotifyUrl, type NotifyOptions } from '../../webhook/notify.ts';
import { isSafe, type TokenAuth } from '../server/options.ts';
import { CONFIG_SCHEMA, faultsOf } from './config-schema.ts';
import type { ConfiguredReverse } from './reverse.ts';

/** A fault of a configuration, with its place and with advice. */
interface ConfigurationFault {
  readonly line: number;
  readonly column: number;
  readonly pointer: string;
  readonly message: string;
}

export type ReadConfiguration =
  | { readonly ok: true; readonly value: GatewayConfiguration; readonly warnings: readonly ConfigurationFault[] }
  | { readonly ok: false; readonly faults: readonly ConfigurationFault[] };

export const EMPTY_CONFIGURATION: GatewayConfiguration = {
  mcpServers: {},
  grants: [],
  effects: [],
  limits: {},
  guard: true,
};

/** Bound of a configuration file, in bytes. */
export const CONFIG_BYTES_MAX: number = 1 << 20;

/**
 * Reads a configuration. Names every fault with its line, its pointer and advice. Without an environment, for a reader that
 * starts no server, names of variables stand as they are.
 */
export function readConfiguration(bytes: Uint8Array, environment: Environment | undefined): ReadConfiguration {
  const decoded = decode(bytes, { bytes: CONFIG_BYTES_MAX });
  const text = decodeUtf8(bytes) ?? '';
  if (!decoded.ok) return { ok: false, faults: [undecoded(decoded.refusal, bytes, text)] };
  const places = placesOf(text);
  const placed = ({ pointer, message }: { pointer: string; message: string }): ConfigurationFault => ({
    ...lineAt(text, places.get(pointer)?.start ?? 0),
    pointer: visibleLine(pointer),
    message: visibleLine(message),
  });
  const value = decoded.value;
  const faults = faultsOf(CONFIG_SCHEMA, value);
  if (faults.length > 0 || !isObject(value)) return { ok: false, faults: faults.map(placed) };
  const given = { ...EMPTY_CONFIGURATION, ...value } as unknown as GatewayConfiguration;
  const keys = [...keyFaults(given.mcpServers, environment), ...namedFaults(notifyTexts(given), environment)];
  const filled = { ...given, ...(environment && withNamed(given, environment)) };
  const deep = [
    ...serverFaults(given),
    ...authFaults(given),
    ...keys,
    ...(keys.length > 0 ? [] : notifyFaults(filled)),
  ];
  if (deep.length > 0) return { ok: false, faults: deep.map(placed) };
  const warnings = [...keyWarnings(given.mcpServers), ...literalWarnings(notifyTexts(given))].map(placed);
  return { ok: true, value: filled, warnings };
}

/** The fault of a file that cannot be decoded, for the person who wrote it. */
function undecoded(
  { code, pointer = '', details, message }: Refusal,
  bytes: Uint8Array,
  text: string,
): ConfigurationFault {
  const given = details as { readonly line?: number; readonly column?: number; readonly offset?: number };
  const { found = '', literal = '' } = details as { readonly found?: string; readonly literal?: string };
  const words: { readonly [C in string]?: string } = {
    json_syntax: `This is no JSON: ${found} stands where it cannot stand. Look before it too: JSON has no comments and no comma behind the last entry, and puts names and texts in double quotes`,
    utf8: 'These bytes are not UTF-8. Save the file in UTF-8',
    bom: 'The file begins with a byte order mark. Save it in UTF-8 without one',
    limit_size: `The file is longer than ${CONFIG_BYTES_MAX} bytes. Remove what sallyport mcp does not need`,
    limit_depth: 'Values are nested too deeply here. A configuration has a few levels',
    limit_nodes: 'The file has too many values. Remove what sallyport mcp does not need',
    lone_surrogate: 'This text holds half of a character (\\ud800 to \\udfff). Write the whole character',
    number_precision: `The number ${literal} cannot be held exactly. Write another number`,
  };
  // bytes before the first that is not UTF-8 are text
  const before = code === 'utf8' ? (decodeUtf8(bytes.subarray(0, given.offset ?? 0)) ?? '') : undefined;
  // a text whose values alone are at fault has places
  const place = PLACED.has(code) ? placesOf(text).get(pointer)?.start : undefined;
  const { line, column } =
    before === undefined ? { ...lineAt(text, place ?? 0), ...given } : lineAt(before, before.length);
  return { line, column, pointer: visibleLine(pointer), message: visibleLine(words[code] ?? message) };
}

const PLACED: ReadonlySet<string> = new Set(['duplicate_member', 'lone_surrogate', 'number_precision']);

/** Word before the names of a server's tools. Hosts do not see the word of a server with an empty prefix. */
export function prefixOf(name: string, { prefix }: Pick<ConfiguredServer, 'prefix'>): string {
  return prefix || name.replaceAll(/[^A-Za-z0-9_-]/gu, '_').slice(0, 32);
}

/** A fault as a line for a person. */
export function faultText(path: string, { line, column, pointer, message }: ConfigurationFault): string {
  return `${path}:${line}:${column} ${pointer === '' ? '' : `${pointer}: `}${message}.`.replace(/\.\.$/u, '.');
}

/**
 * True for prefixes whose tools may get the same name: hosts take no point, so `notes` with `db_save` and `notes_db` with
 * `save` are both `notes_db_save` there.
 */
export function prefixesMeet(one: string, other: string): boolean {
  const [a, b] = [one, other].map((prefix) => `${/^[a-zA-Z_]/.test(prefix) ? '' : '_'}${prefix}_`);
  return a?.startsWith(b ?? '') === true || b?.startsWith(a ?? '') === true;
}

function* serverFaults({ mcpServers }: GatewayConfiguration): Iterable<{ pointer: string; message: string }> {
  const prefixes = new Map<string, string>();
  const count = Object.values(mcpServers).filter(({ disabled }) => disabled !== true).length;
  for (const [name, server] of Object.entries(mcpServers)) {
    const pointer = `/mcpServers/${name}`;
    if ((server.command === undefined) === (server.url === undefined))
      yield { pointer, message: 'Write either "command" or "url": a server is a child process or an address' };
    const prefix = prefixOf(name, server);
    const [taken, other] = [...prefixes].find(([each]) => prefixesMeet(each, prefix)) ?? [];
    if (taken !== undefined)
      yield {
        pointer,
        message: `The servers "${other}" and "${name}" have the prefixes "${taken}" and "${prefix}", so their tools could have the same names: give one a "prefix" of its own`,
      };
    if (server.prefix === '' && server.disabled !== true && count > 1)
      yield {
        pointer: `${pointer}/prefix`,
        message: `The configuration has ${count} servers, and names without a prefix are for a single one: give "${name}" a prefix`,
      };
    prefixes.set(prefix, name);
  }
}

/** `for` names persons, so it needs an issuer that tells who they are. */
function* authFaults({ auth, grants }: GatewayConfiguration): Iterable<Place> {
  for (const name of ['issuer', 'audience'] as const)
    if (auth !== undefined && !isSafe(auth[name]))
      yield {
        pointer: `/auth/${name}`,
        message: 'Write an address of https, or of this machine, without a user, "?" and "#"',
      };
  if (auth !== undefined) return;
  for (const [at, grant] of grants.entries())
    if (grant.for !== undefined)
      yield {
        pointer: `/grants/${at}/for`,
        message: '"for" names subjects of an issuer: add "auth" with "issuer" and "audience", or remove "for"',
      };
}

/** Terms of a single tool in the configuration. */
interface ConfiguredTool {
  readonly effect?: Effect;
  readonly labels?: readonly Label[];
  readonly hold?: Hold;
  readonly enabled?: boolean;
  readonly reverse?: ConfiguredReverse;
}

/** A server in the configuration, with the values of the environment in place of `${NAME}`. */
export interface ConfiguredServer {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly disabled?: boolean;
  readonly prefix?: string;
  readonly effect?: Effect;
  readonly labels?: readonly Label[];
  readonly hold?: Hold;
  readonly trustHints?: boolean;
  readonly timeoutMs?: number;
  readonly numbers?: 'text';
  readonly instructions?: boolean;
  readonly resources?: boolean;
  readonly prompts?: boolean;
  readonly tools?: Readonly<Record<string, ConfiguredTool>>;
}

/**
 * A grant in the configuration: `definition` is the hash of the definition that it was given for. `for` has subjects of the
 * issuer in `auth`.
 */
export interface ConfiguredGrant extends AuthorTerms {
  readonly tool: string;
  readonly definition?: string;
}

/** What a person says that a definition does. It holds for this definition alone, and never below the server's hint. */
export interface DeclaredEffect {
  readonly tool: string;
  readonly effect: Effect;
  readonly definition: string;
}

/** The configuration of the gateway. */
export interface GatewayConfiguration {
  readonly mcpServers: Readonly<Record<string, ConfiguredServer>>;
  readonly grants: readonly ConfiguredGrant[];
  readonly effects: readonly DeclaredEffect[];
  readonly limits: Partial<Pick<RunLimits, CallerLimit>>;
  /** Absent: what servers and tools say. */
  readonly hold?: Hold;
  readonly guard: boolean;
  /** Who may call over HTTP; absent: whoever has the token of the command. */
  readonly auth?: TokenAuth;
  /** Where messages about open questions go. */
  readonly notify?: Pick<NotifyOptions, 'url' | 'secret'>;
}

/** Variables of the process. */
export type Environment = Readonly<Record<string, string | undefined>>;

type Servers = Readonly<Record<string, ConfiguredServer>>;
interface Place {
  readonly pointer: string;
  readonly message: string;
}

/** A name of the environment, as Claude Desktop and Cursor write it and, with `env:`, as VS Code does. */
const NAMED = /\$\{(?:env:)?([^}]*)\}/gu;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/u;

/** Beginnings of the keys of well-known services, and long texts without a word in them. */
const KEY =
  /^(?:Bearer\s+)?(?:(?:sk|pk|rk|ghp|gho|ghs|github_pat|glpat|xox[a-z]|AKIA|AIza|hf|npm|ya29)[-_.A-Za-z0-9]{12,}|(?=[^\d]*\d)(?=[^A-Za-z]*[A-Za-z])[A-Za-z0-9+=_-]{32,})$/u;
const SECRET_NAME = /key|token|secret|passw|authorization|credential/iu;

/** Names of the environment that are missing, and names where a value would be shown. */
function* keyFaults(servers: Servers, environment: Environment | undefined): Iterable<Place> {
  for (const [name, server] of Object.entries(servers)) {
    const pointer = pointerTo('/mcpServers', name);
    for (const [at, text] of openTexts(server)) {
      if (new RegExp(NAMED.source, 'u').test(text))
        yield {
          pointer: pointer + at,
          message:
            'This text is shown in questions and records, so it takes no ${NAME}: pass the key by "env" or "headers"',
        };
    }
    yield* namedFaults(placedAt(pointer, keyTexts(server)), environment);
  }
}

/** Names of variables that are none, or that the environment lacks. */
function* namedFaults(texts: Iterable<KeyText>, environment: Environment | undefined): Iterable<Place> {
  for (const [pointer, text] of texts)
    for (const [, variable = ''] of text.matchAll(NAMED)) {
      if (!NAME.test(variable)) yield { pointer, message: `\${${variable}} is no name of a variable: write \${NAME}` };
      else if (environment !== undefined && valueOf(environment, variable) === undefined)
        yield {
          pointer,
          message: `The environment has no variable ${variable}: set ${variable} for the program that starts sallyport mcp`,
        };
    }
}

/** Literals that look like keys. The message does not repeat them. */
function* keyWarnings(servers: Servers): Iterable<Place> {
  for (const [name, server] of Object.entries(servers)) {
    const pointer = pointerTo('/mcpServers', name);
    yield* literalWarnings(placedAt(pointer, [...keyTexts(server), ...openTexts(server)]));
  }
}

function* literalWarnings(texts: Iterable<KeyText>): Iterable<Place> {
  for (const [pointer, text, word] of texts) {
    if (text.includes('${') || !looksLikeKey(text, word)) continue;
    yield {
      pointer,
      message: 'This text looks like a key: put it into a variable of the environment, and write ${NAME} here',
    };
  }
}

function looksLikeKey(text: string, name: string | undefined): boolean {
  const value = text.replace(/^--?[\w-]+=/u, '');
  return KEY.test(value) || (name !== undefined && SECRET_NAME.test(name) && value.length >= 8);
}

/** The parts with the values of the environment. All names are there. */
function withNamed(
  { mcpServers, notify }: GatewayConfiguration,
  environment: Environment,
): Pick<GatewayConfiguration, 'mcpServers' | 'notify'> {
  const value = (text: string): string => text.replace(NAMED, (_, name: string) => valueOf(environment, name) ?? '');
  const filled = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, value(text)]));
  const entries = Object.entries(mcpServers).map(([name, server]) => [
    name,
    {
      ...server,
      ...(server.env && { env: filled(server.env) }),
      ...(server.headers && { headers: filled(server.headers) }),
    },
  ]);
  return {
    mcpServers: Object.fromEntries(entries) as Servers,
    ...(notify && { notify: { url: value(notify.url), secret: value(notify.secret) } }),
  };
}

/** Faults of an address and a secret whose names have been filled in. The message does not repeat them. */
function* notifyFaults({ notify }: Pick<GatewayConfiguration, 'notify'>): Iterable<Place> {
  if (notify === undefined) return;
  // a reader that starts no server fills in no name
  if (!notify.url.includes('${') && !isNotifyUrl(notify.url))
    yield { pointer: '/notify/url', message: 'Write an address of https, or of this machine, without a password' };
  if (!notify.secret.includes('${') && !isNotifySecret(notify.secret))
    yield { pointer: '/notify/secret', message: 'Write whsec_ and 24 to 64 bytes in base64, or ${NAME}' };
}

function valueOf(environment: Environment, name: string): string | undefined {
  return Object.hasOwn(environment, name) ? environment[name] : undefined;
}

/** A text with its pointer, and its name if it has one. */
type KeyText = readonly [pointer: string, text: string, name: string | undefined];

function placedAt(pointer: string, texts: Iterable<KeyText>): readonly KeyText[] {
  return [...texts].map(([at, text, name]) => [pointer + at, text, name]);
}

function notifyTexts({ notify }: Pick<GatewayConfiguration, 'notify'>): readonly KeyText[] {
  if (notify === undefined) return [];
  return [
    ['/notify/url', notify.url, undefined],
    ['/notify/secret', notify.secret, 'secret'],
  ];
}

/** Texts that no record and no question shows, with the end of their pointer and their name. */
function* keyTexts({ env = {}, headers = {} }: ConfiguredServer): Iterable<readonly [string, string, string]> {
  for (const [name, text] of Object.entries(env)) yield [pointerTo('/env', name), text, name];
  for (const [name, text] of Object.entries(headers)) yield [pointerTo('/headers', name), text, name];
}

/** Texts that are part of a server's origin. */
function* openTexts({
  command,
  args = [],
  url,
  cwd,
}: ConfiguredServer): Iterable<readonly [string, string, undefined]> {
  if (command !== undefined) yield ['/command', command, undefined];
  if (url !== undefined) yield ['/url', url, undefined];
  if (cwd !== undefined) yield ['/cwd', cwd, undefined];
  for (const [at, text] of args.entries()) yield [pointerTo('/args', at), text, undefined];
}

/** Range of a value in a JSON text, in UTF-16 units. */
interface TextRange {
  readonly start: number;
  readonly end: number;
}

const TOKEN = /\s*("(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+)/uy;

/** The places of all values of a JSON text by their pointers. The text has passed `decode`. */
export function placesOf(text: string): ReadonlyMap<string, TextRange> {
  const places = new Map<string, TextRange>();
  let at = 0;
  const next = (): { readonly word: string; readonly start: number } => {
    TOKEN.lastIndex = at;
    const word = TOKEN.exec(text)?.[1] ?? '';
    at = TOKEN.lastIndex;
    return { word, start: at - word.length };
  };
  const read = (pointer: string, { word, start } = next()): void => {
    if (word === '{') members(pointer);
    else if (word === '[') items(pointer);
    places.set(pointer, { start, end: at });
  };
  const members = (pointer: string): void => {
    for (let token = next(); token.word !== '}'; token = next()) {
      if (token.word === ',') continue;
      next();
      read(pointerTo(pointer, JSON.parse(token.word) as string));
    }
  };
  const items = (pointer: string): void => {
    let index = 0;
    for (let token = next(); token.word !== ']'; token = next()) {
      if (token.word !== ',') read(pointerTo(pointer, index++), token);
    }
  };
  read('');
  return places;
}

/** Line and column of a place, from 1. */
export function lineAt(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

/**
 * The text with a value added to the list `name` of its top object. The rest of the text stays as it is. The text has
 * passed `decode`, its value is an object, and the member is a list or absent.
 */
export function addToList(text: string, name: string, value: unknown): string {
  const places = placesOf(text);
  const list = places.get(pointerTo('', name));
  const indent = /\n([ \t]+)"/u.exec(text)?.[1] ?? '  ';
  const item = JSON.stringify(value, null, indent).replaceAll('\n', `\n${indent}${indent}`);
  const added = `\n${indent}${indent}${item}`;
  if (list !== undefined) return insert(text, list, places.has(pointerTo(`/${name}`, 0)), added, `\n${indent}`);
  const whole = places.get('') ?? { start: 0, end: text.length };
  const member = `\n${indent}${JSON.stringify(name)}: [${added}\n${indent}]`;
  return insert(text, whole, places.size > 1, member, '\n');
}

/** Adds a part behind the last part of an object or a list. */
function insert(text: string, { start, end }: TextRange, isFull: boolean, part: string, close: string): string {
  const inside = text.slice(start + 1, end - 1).trimEnd();
  return `${text.slice(0, start + 1)}${inside}${isFull ? ',' : ''}${part}${close}${text.slice(end - 1)}`;
}

/** The text without an entry of the list `name` of its top object. The rest of the text stays as it is. */
export function removeFromList(text: string, name: string, index: number): string {
  const places = placesOf(text);
  const at = (nth: number): TextRange | undefined => places.get(pointerTo(`/${name}`, nth));
  const [list, gone, before, after] = [places.get(`/${name}`), at(index), at(index - 1), at(index + 1)];
  if (list === undefined || gone === undefined) return text;
  // with the comma before it, or of the first entry with the comma behind it
  if (before !== undefined) return text.slice(0, before.end) + text.slice(gone.end);
  if (after !== undefined) return text.slice(0, gone.start) + text.slice(after.start);
  return text.slice(0, list.start + 1) + text.slice(list.end - 1);
}
