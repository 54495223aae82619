const HTTP_DATE = /^[A-Z][a-z]{2,8},? [\w :-]+$/;

/**
 * ms from now, of the header `Retry-After`: seconds or a date (RFC 9110 10.2.3). A browser may hide the header from a
 * page.
 */
export function delayIn(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^[0-9]{1,9}$/.test(header)) return Number(header) * 1000;
  // JavaScript also parses `-5` and `5.5` as dates.
  const at = HTTP_DATE.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}
