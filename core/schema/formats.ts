import { patternFault } from './pattern.ts';
import { isIpv4, isIpv6, isUri, isUriReference } from './uri.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/;
const RELATIVE_POINTER = /^(?:0|[1-9]\d*)(?:[+-][1-9]\d*)?(?:#|(?:\/(?:[^~/]|~[01])*)*)$/;
const ATOM = "[a-z0-9!#$%&'*+/=?^_`{|}~-]+";
const LOCAL = new RegExp(`^(?:${ATOM}(?:\\.${ATOM})*|"(?:[ !#-[\\]-~]|\\\\[ -~])*")$`, 'i');
const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i;
/** The ordinary address, in a single native match. An unusual or long address is checked part by part. */
const ORDINARY = new RegExp(
  `^${ATOM}(?:\\.${ATOM})*@${LABEL.source.slice(1, -1)}(?:\\.${LABEL.source.slice(1, -1)})*$`,
  'i',
);
const HEX2 = '%[0-9A-Fa-f]{2}';
const LITERAL = `(?:[!#$&'()*+,\\-./0-;=?-[\\]_a-z~${upperRanges()}]|${HEX2})*`;
const NAME = `(?:[A-Za-z0-9_]|${HEX2})(?:\\.?(?:[A-Za-z0-9_]|${HEX2}))*(?:\\*|:[1-9]\\d{0,3})?`;
const TEMPLATE = new RegExp(`^${LITERAL}(?:\\{[+#./;?&=,!@|]?${NAME}(?:,${NAME})*\\}${LITERAL})*$`, 'u');

/** `ucschar` and `iprivate` of RFC 6570 1.5: all characters above U+009F except surrogates, noncharacters and tags. */
function upperRanges(): string {
  const planes = Array.from(
    { length: 16 },
    (_, i) => `\\u{${(i + 1).toString(16)}${i === 13 ? '1' : '0'}000}-\\u{${(i + 1).toString(16)}FFFD}`,
  );
  return `\\u00A0-\\uD7FF\\uE000-\\uFDCF\\uFDF0-\\uFFEF${planes.join('')}`;
}

/** RFC 5321 4.1.2, with its lengths (4.5.3.1). */
function isEmail(text: string): boolean {
  if (text.length < 64 && ORDINARY.test(text)) return true;
  const at = text.lastIndexOf('@');
  if (at < 1 || at > 64 || text.length - at > 256) return false;
  return LOCAL.test(text.slice(0, at)) && isMailDomain(text.slice(at + 1));
}

function isMailDomain(domain: string): boolean {
  if (!domain.startsWith('[')) return domain.split('.').every((label) => label.length <= 63 && LABEL.test(label));
  const inner = domain.slice(1, -1);
  return domain.endsWith(']') && (isIpv4(inner) || (/^ipv6:/i.test(inner) && isIpv6(inner.slice(5))));
}

/**
 * The formats that are checked, the same in every engine and in linear time. A schema with a further format is refused:
 * `hostname` and the `idn-` formats need IDNA tables, `iri` forms are refused rather than half checked.
 */
export const FORMATS: { readonly [format: string]: (text: string) => boolean } = {
  'date-time': isDateTime,
  date: isDate,
  time: isTime,
  duration: isDuration,
  email: isEmail,
  ipv4: isIpv4,
  ipv6: isIpv6,
  uri: isUri,
  'uri-reference': isUriReference,
  'uri-template': (text) => TEMPLATE.test(text),
  uuid: (text) => UUID.test(text),
  'json-pointer': (text) => POINTER.test(text),
  'relative-json-pointer': (text) => RELATIVE_POINTER.test(text),
  regex: (text) => patternFault(text) === undefined,
};

/** Dates, times and durations of RFC 3339. Every pattern here is linear: the text is the attacker's. */

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|([+-])(\d\d):(\d\d))$/i;
const TIME_PARTS = '(?:\\d+H(?:\\d+M(?:\\d+S)?)?|\\d+M(?:\\d+S)?|\\d+S)';
const DATE_PARTS = '(?:\\d+Y(?:\\d+M(?:\\d+D)?)?|\\d+M(?:\\d+D)?|\\d+D)';
const DURATION = new RegExp(`^P(?:\\d+W|${DATE_PARTS}(?:T${TIME_PARTS})?|T${TIME_PARTS})$`);
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isDate(text: string): boolean {
  const parts = DATE.exec(text);
  if (parts === null) return false;
  const [year, month, day] = parts.slice(1).map(Number) as [number, number, number];
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day >= 1 && day <= (DAYS[month - 1] ?? 0) + (leap ? 1 : 0);
}

/** A leap second is valid only at 23:59:60 UTC. */
function isTime(text: string): boolean {
  const parts = TIME.exec(text);
  if (parts === null) return false;
  const [hour, minute, second] = parts.slice(1, 4).map(Number) as [number, number, number];
  const offsetHour = Number(parts[5] ?? 0);
  const offsetMinute = Number(parts[6] ?? 0);
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return false;
  const offset = (parts[4] === '-' ? -1 : 1) * (offsetHour * 60 + offsetMinute);
  return second < 60 || (hour * 60 + minute - offset + 2880) % 1440 === 1439;
}

function isDateTime(text: string): boolean {
  const separator = text.charAt(10);
  return (separator === 'T' || separator === 't') && isDate(text.slice(0, 10)) && isTime(text.slice(11));
}

function isDuration(text: string): boolean {
  return DURATION.test(text);
}
