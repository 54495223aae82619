/**
 * A decimal in millionths, exact; undefined when the text is not one.
 *
 * @param {string} text
 *
 * @returns {bigint | undefined}
 */
export function toMillionths(text) {
  const match = /^(-?)(\d{1,12})(?:\.(\d{1,6}))?$/.exec(text);
  if (match === null) return undefined;
  const size = BigInt(`${match[2]}${(match[3] ?? '').padEnd(6, '0')}`);
  return match[1] === '-' ? -size : size;
}

/**
 * The number nearest to a count of millionths; refuses what a double cannot hold.
 *
 * @param {bigint} millionths
 */
export function fromMillionths(millionths) {
  const whole = Number(millionths);
  if (!Number.isSafeInteger(whole)) throw new RangeError('The number is too large to be exact.');
  return whole / 1e6;
}
