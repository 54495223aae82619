import { pointerTo } from '../../../../core/json/value.ts';
import type { ConfiguredServer } from './config-types.ts';

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
export function* keyFaults(servers: Servers, environment: Environment): Iterable<Place> {
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
    for (const [at, text] of keyTexts(server)) {
      for (const [, variable = ''] of text.matchAll(NAMED)) {
        if (!NAME.test(variable))
          yield { pointer: pointer + at, message: `\${${variable}} is no name of a variable: write \${NAME}` };
        else if (valueOf(environment, variable) === undefined)
          yield {
            pointer: pointer + at,
            message: `The environment has no variable ${variable}: set ${variable} for the program that starts sallyport mcp`,
          };
      }
    }
  }
}

/** Literals that look like keys. The message does not repeat them. */
export function* keyWarnings(servers: Servers): Iterable<Place> {
  for (const [name, server] of Object.entries(servers)) {
    const pointer = pointerTo('/mcpServers', name);
    for (const [at, text, word] of [...keyTexts(server), ...openTexts(server)]) {
      if (text.includes('${') || !looksLikeKey(text, word)) continue;
      yield {
        pointer: pointer + at,
        message: 'This text looks like a key: put it into a variable of the environment, and write ${NAME} here',
      };
    }
  }
}

function looksLikeKey(text: string, name: string | undefined): boolean {
  const value = text.replace(/^--?[\w-]+=/u, '');
  return KEY.test(value) || (name !== undefined && SECRET_NAME.test(name) && value.length >= 8);
}

/** The servers with the values of the environment. All names are there. */
export function withKeys(servers: Servers, environment: Environment): Servers {
  const filled = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(texts).map(([name, text]) => [
        name,
        text.replace(NAMED, (_, variable: string) => valueOf(environment, variable) ?? ''),
      ]),
    );
  const entries = Object.entries(servers).map(([name, server]) => [
    name,
    {
      ...server,
      ...(server.env && { env: filled(server.env) }),
      ...(server.headers && { headers: filled(server.headers) }),
    },
  ]);
  return Object.fromEntries(entries) as Servers;
}

function valueOf(environment: Environment, name: string): string | undefined {
  return Object.hasOwn(environment, name) ? environment[name] : undefined;
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
