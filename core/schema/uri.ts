/** URIs of RFC 3986 and their parts. Split once, then checked part by part: linear in the text. */

const DEC_OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const IPV4 = new RegExp(`^${DEC_OCTET}(?:\\.${DEC_OCTET}){3}$`);
const SPLIT = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#([^]*))?$/;
const SCHEME = /^[a-z][a-z0-9+.-]*$/i;
const USER = /^(?:[a-z0-9._~!$&'()*+,;=:-]|%[0-9a-f]{2})*$/i;
const REG_NAME = /^(?:[a-z0-9._~!$&'()*+,;=-]|%[0-9a-f]{2})*$/i;
const IP_FUTURE = /^v[0-9a-f]+\.[a-z0-9._~!$&'()*+,;=:-]+$/i;
const PATH = /^(?:[a-z0-9._~!$&'()*+,;=:@/-]|%[0-9a-f]{2})*$/i;
const QUERY = /^(?:[a-z0-9._~!$&'()*+,;=:@/?-]|%[0-9a-f]{2})*$/i;
const HOST_PORT = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/;

export function isIpv4(text: string): boolean {
  return IPV4.test(text);
}

/** RFC 4291 2.2: eight groups, or fewer around a single `::`, the last two as an IPv4 address if wished. No zone. */
export function isIpv6(text: string): boolean {
  const halves = text.split('::', 3);
  if (halves.length > 2) return false;
  const [head, tail] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const counts = [groups(head ?? [], tail === undefined), groups(tail ?? [], true)];
  if (counts.includes(-1)) return false;
  const total = (counts[0] ?? 0) + (counts[1] ?? 0);
  return tail === undefined ? total === 8 : total <= 7;
}

/** Number of 16-bit groups in the parts, or -1. */
function groups(parts: readonly string[], last: boolean): number {
  const embedded = last && isIpv4(parts.at(-1) ?? '');
  const plain = embedded ? parts.slice(0, -1) : parts;
  return plain.every((part) => /^[0-9a-f]{1,4}$/i.test(part)) ? plain.length + (embedded ? 2 : 0) : -1;
}

export function isUri(text: string): boolean {
  return isReference(text, true);
}

export function isUriReference(text: string): boolean {
  return isReference(text, false);
}

function isReference(text: string, absolute: boolean): boolean {
  const parts = SPLIT.exec(text);
  if (parts === null) return false;
  const [, scheme, authority, path = '', query = '', fragment = ''] = parts;
  if (scheme === undefined ? absolute || text.startsWith(':') : !SCHEME.test(scheme)) return false;
  if (authority !== undefined && !isAuthority(authority)) return false;
  return PATH.test(path) && QUERY.test(query) && QUERY.test(fragment) && fits(path, scheme, authority);
}

/**
 * With an authority the path starts with `/` (the split sees to it); without an authority it must not start with `//`.
 */
function fits(path: string, scheme: string | undefined, authority: string | undefined): boolean {
  if (authority === undefined && path.startsWith('//')) return false;
  return scheme !== undefined || authority !== undefined || !path.split('/', 1).join('').includes(':');
}

function isAuthority(authority: string): boolean {
  const at = authority.indexOf('@');
  const [, host = '', port] = HOST_PORT.exec(authority.slice(at + 1)) ?? [undefined, '\n'];
  if (port !== undefined && !/^\d*$/.test(port)) return false;
  return USER.test(at < 0 ? '' : authority.slice(0, at)) && isHost(host);
}

function isHost(host: string): boolean {
  if (!host.startsWith('[')) return REG_NAME.test(host);
  const inner = host.slice(1, -1);
  return isIpv6(inner) || IP_FUTURE.test(inner);
}
