import { isObject } from '../../../core/json/value.ts';
import { SallyportError } from '../../../core/sallyport-error.ts';
import { Secrets } from '../models/secrets.ts';
import { OperationError } from './operation.ts';

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
/** Visible ASCII with blanks inside. A line break would begin another header. */
const VALUE = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/;

/** Headers that frame a message, name its host, or carry the browser's own word. */
const FORBIDDEN =
  /^(?:connection|content-length|content-encoding|cookie2?|date|expect|host|keep-alive|origin|referer|set-cookie|te|trailer|transfer-encoding|upgrade|via|x-http-method(?:-override)?|x-method-override|proxy-.*|sec-.*|access-control-.*)$/;

export function isHeaderName(name: string): boolean {
  return NAME.test(name);
}

/** True for a header that a call must not set. */
export function isForbiddenHeader(name: string): boolean {
  return FORBIDDEN.test(name.toLowerCase());
}

export function isHeaderValue(value: string): boolean {
  return VALUE.test(value);
}

/** Characters of a cookie's value in RFC 6265. A semicolon would begin another cookie. */
const COOKIE_VALUE = /^[!#-+\--:<-[\]-~]*$/;

/** True for a value that a cookie carries as it is. */
export function isCookieValue(value: string): boolean {
  return COOKIE_VALUE.test(value);
}

/** The cookies of the program, and those of the call that have no name of the program's. */
export function joinedCookies(ofCall: string, ofProgram: string | undefined): string {
  if (ofProgram === undefined) return ofCall;
  const nameOf = (pair: string): string => (pair.split('=')[0] ?? '').trim();
  const names = new Set(ofProgram.split(';').map(nameOf));
  return [ofProgram, ...ofCall.split('; ').filter((pair) => !names.has(nameOf(pair)))].join('; ');
}

/** Headers of the program for a request, by their names in lower case. Messages about them never show a value. */
export function checkedHeaders(given: unknown): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  if (given !== undefined && !isObject(given))
    throw new OperationError('headers_failed', 'The program gave headers that are no object.');
  for (const [name, value] of given instanceof Headers ? given : Object.entries(given ?? {})) {
    if (value === undefined) continue;
    if (!isHeaderName(name))
      throw new OperationError('headers_failed', 'The program gave a header that cannot be sent.');
    if (typeof value !== 'string' || !isHeaderValue(value))
      throw new OperationError(
        'headers_failed',
        `The program gave a value for the header ${name} that cannot be sent.`,
      );
    headers.set(name.toLowerCase(), value);
  }
  return headers;
}

/** The keys in the headers of the program. Throws an `OperationError` for a key that could not be hidden. */
export function secretsIn(headers: ReadonlyMap<string, string>): Secrets {
  const secrets = new Secrets();
  try {
    secrets.addHeaders(headers);
  } catch (error) {
    if (error instanceof SallyportError) throw new OperationError('key_short', error.message);
    throw error;
  }
  return secrets;
}
