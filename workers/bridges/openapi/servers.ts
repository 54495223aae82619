import { isObject, type JsonValue, member, pointerTo } from '../../../core/json/value.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { invalid, type OpenApiDocument } from './document.ts';
import type { ListedOperation } from './operation.ts';

/** Servers that the program permits. A document alone never adds one. */
export interface PermittedServers {
  /** Address that takes the place of the document's own servers. */
  readonly base?: URL;
  readonly origins: ReadonlySet<string>;
  /** Values of server variables, by name. */
  readonly variables: Readonly<Record<string, string>>;
}

/** An http or https address without credentials, query and fragment; undefined for other texts. */
export function serverAddress(text: string, base?: URL): URL | undefined {
  const url = URL.canParse(text, base) ? new URL(text, base) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || /[?#]/.test(url.href)) return undefined;
  return url.username === '' && url.password === '' ? url : undefined;
}

/** Address of the first server of an operation that is permitted, without a slash at its end. */
export function serverOf(
  document: OpenApiDocument,
  { value, pointer, item }: ListedOperation,
  permitted: PermittedServers,
): Outcome<URL> {
  const own = serversAt(value, pointer) ?? serversAt(item.value, item.pointer);
  if (own === undefined && permitted.base !== undefined) return pass(permitted.base);
  const { list, at } = own ?? serversAt(document.root, '') ?? { list: [], at: '' };
  const found = list.map((each) => addressOf(each, permitted)).find((url) => url && permitted.origins.has(url.origin));
  if (found !== undefined) return pass(found);
  const named = list.flatMap((each) => addressOf(each, permitted)?.origin ?? [])[0];
  if (named === undefined)
    return invalid(at, 'the document names no server of the operation that can be called: give the option baseUrl');
  return invalid(at, `the server of the operation is not permitted: ${named}`);
}

/** Origin of the first server of the document, where it is a full address over https: no address of this network. */
export function originOf(
  { root }: OpenApiDocument,
  { variables }: Pick<PermittedServers, 'variables'>,
): string | undefined {
  const [first] = serversAt(root, '')?.list ?? [];
  const url = first === undefined ? undefined : addressOf(first, { origins: new Set(), variables });
  return url?.protocol === 'https:' ? url.origin : undefined;
}

function serversAt(holder: JsonValue, pointer: string): { list: readonly JsonValue[]; at: string } | undefined {
  const list = isObject(holder) ? member(holder, 'servers') : undefined;
  const given = Array.isArray(list) ? (list as readonly JsonValue[]) : [];
  return given.length === 0 ? undefined : { list: given, at: pointerTo(pointer, 'servers') };
}

/** A relative address begins at the base address. */
function addressOf(server: JsonValue, { base, variables }: PermittedServers): URL | undefined {
  const url = isObject(server) ? member(server, 'url') : undefined;
  if (!isObject(server) || typeof url !== 'string') return undefined;
  let isWhole = true;
  const filled = url.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const value = variableOf(member(server, 'variables'), name, variables);
    isWhole &&= value !== undefined;
    return value ?? '';
  });
  return isWhole ? serverAddress(filled, base) : undefined;
}

function variableOf(declared: JsonValue | undefined, name: string, given: PermittedServers['variables']) {
  const variable = isObject(declared) ? member(declared, name) : undefined;
  if (!isObject(variable)) return undefined;
  const value = Object.hasOwn(given, name) ? given[name] : member(variable, 'default');
  const values = member(variable, 'enum');
  if (typeof value !== 'string' || (Array.isArray(values) && !values.includes(value))) return undefined;
  return value;
}
