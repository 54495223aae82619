/** What measures the same thing, as multiples of the first. Exact by definition; kitchen spoons are metric, the pint is imperial. */
const UNITS = [
  { g: 1, kg: 1000, oz: 28.349523125, lb: 453.59237 },
  { ml: 1, l: 1000, tsp: 5, tbsp: 15, pint: 568.26125 },
  { mm: 1, cm: 10, m: 1000, in: 25.4 },
].map((units) => new Map(Object.entries(units)));

/** @param {{ value: number, from: string, to: string }} args */
export default async function ({ value, from, to }) {
  return { value: tidy(convert(value, from, to)), unit: to };
}

/**
 * @param {number} value
 * @param {string} from
 * @param {string} to
 */
function convert(value, from, to) {
  if (isHeat(from) && isHeat(to)) return toHeat(fromHeat(value, from), to);
  for (const units of UNITS) {
    const [a, b] = [units.get(from), units.get(to)];
    if (a !== undefined && b !== undefined) return (value * a) / b;
  }
  throw new RangeError(`${from} and ${to} do not measure the same thing.`);
}

/** @param {string} unit */
function isHeat(unit) {
  return unit === 'C' || unit === 'F' || unit === 'K';
}

/**
 * In degrees Celsius; there is nothing below absolute zero.
 *
 * @param {number} value
 * @param {string} unit
 */
function fromHeat(value, unit) {
  const celsius = unit === 'F' ? ((value - 32) * 5) / 9 : unit === 'K' ? value - 273.15 : value;
  if (celsius < -273.15) throw new RangeError(`${value} ${unit} is below absolute zero.`);
  return celsius;
}

/**
 * @param {number} celsius
 * @param {string} unit
 */
function toHeat(celsius, unit) {
  if (unit === 'K') return celsius + 273.15;
  return unit === 'F' ? (celsius * 9) / 5 + 32 : celsius;
}

/**
 * Ten digits: more than a kitchen knows, fewer than a double mistakes.
 *
 * @param {number} value
 */
function tidy(value) {
  return Number(value.toPrecision(10)) + 0;
}
