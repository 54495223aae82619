/** Longest way down in brackets and signs; well inside the guest's stack. */
const DEPTH = 50;
const TOKEN = /\s*(?:(\d+(?:\.\d+)?)|([-+*/()]))/y;

/**
 * @typedef {{ n: bigint, d: bigint }} Ratio a fraction, exact: 0.1 + 0.2 is 0.3 here
 * @typedef {{ at: number, number?: string, sign?: string }} Token
 */

/** @param {{ expression: string }} args */
export default async function ({ expression }) {
  const tokens = scan(expression);
  const value = sum(tokens, 0);
  const left = tokens[0];
  if (left !== undefined) throw unexpected(left);
  return rounded(value);
}

/** @param {string} expression */
function scan(expression) {
  /** @type {Token[]} */
  const tokens = [];
  const end = expression.trimEnd().length;
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < end; ) {
    const from = TOKEN.lastIndex;
    const match = TOKEN.exec(expression);
    if (match === null)
      throw new SyntaxError(`Not a sum: character ${from + 1} cannot be read. Example: (4100 + 500) / 10.`);
    const at = TOKEN.lastIndex - (match[1] ?? match[2] ?? '').length + 1;
    tokens.push(match[1] === undefined ? { at, sign: match[2] ?? '' } : { at, number: match[1] });
  }
  return tokens;
}

/**
 * @param {Token[]} tokens
 * @param {number} depth
 * @returns {Ratio}
 */
function sum(tokens, depth) {
  let value = product(tokens, depth);
  for (let sign = tokens[0]?.sign; sign === '+' || sign === '-'; sign = tokens[0]?.sign) {
    tokens.shift();
    const right = product(tokens, depth);
    const n = sign === '+' ? value.n * right.d + right.n * value.d : value.n * right.d - right.n * value.d;
    value = { n, d: value.d * right.d };
  }
  return value;
}

/**
 * @param {Token[]} tokens
 * @param {number} depth
 * @returns {Ratio}
 */
function product(tokens, depth) {
  let value = factor(tokens, depth);
  for (let sign = tokens[0]?.sign; sign === '*' || sign === '/'; sign = tokens[0]?.sign) {
    const at = tokens.shift()?.at;
    const right = factor(tokens, depth);
    if (sign === '/' && right.n === 0n) throw new RangeError(`Division by zero at character ${at}.`);
    value =
      sign === '*' ? { n: value.n * right.n, d: value.d * right.d } : { n: value.n * right.d, d: value.d * right.n };
  }
  return value;
}

/**
 * @param {Token[]} tokens
 * @param {number} depth
 * @returns {Ratio}
 */
function factor(tokens, depth) {
  const token = tokens.shift();
  if (token === undefined) throw new SyntaxError('The sum stops too early: a number is missing at its end.');
  if (token.number !== undefined) return ratio(token.number);
  if (depth === DEPTH) throw new RangeError(`More than ${DEPTH} brackets and signs inside one another.`);
  if (token.sign === '-') return minus(factor(tokens, depth + 1));
  if (token.sign !== '(') throw unexpected(token);
  const value = sum(tokens, depth + 1);
  if (tokens.shift()?.sign !== ')') throw new SyntaxError(`The bracket at character ${token.at} is not closed.`);
  return value;
}

/**
 * @param {string} decimal
 * @returns {Ratio}
 */
function ratio(decimal) {
  const [whole = '', fraction = ''] = decimal.split('.');
  return { n: BigInt(whole + fraction), d: 10n ** BigInt(fraction.length) };
}

/**
 * @param {Ratio} value
 * @returns {Ratio}
 */
function minus({ n, d }) {
  return { n: -n, d };
}

/**
 * At most twelve decimals, and says whether that is all of it.
 *
 * @param {Ratio} value
 */
function rounded(value) {
  const { n, d } = value.d < 0n ? minus({ n: value.n, d: value.d }) : value;
  const denominator = d < 0n ? -d : d;
  const scaled = n * 10n ** 12n;
  const half = n < 0n ? -denominator : denominator;
  const units = (2n * scaled + half) / (2n * denominator);
  const size = units < 0n ? -units : units;
  if (size > 10n ** 27n) throw new RangeError('The result is too large to be exact.');
  const digits = String(size).padStart(13, '0');
  const number = Number(`${digits.slice(0, -12)}.${digits.slice(-12)}`);
  return { value: units < 0n ? -number : number, exact: scaled % denominator === 0n };
}

/** @param {Token} token */
function unexpected({ at, sign, number }) {
  return new SyntaxError(`Unexpected ${JSON.stringify(sign ?? number)} at character ${at}.`);
}
