import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { capability, cases, load } from './guest.ts';

const sum = (expression: string) => ({ expression });
const nested = (depth: number) => `${'('.repeat(depth)}1${')'.repeat(depth)}`;

describe('calc.eval', () => {
  cases('calc.eval', [
    {
      title: 'adds decimals without the errors of binary fractions',
      args: sum('0.1 + 0.2'),
      gives: { value: 0.3, exact: true },
    },
    { title: 'multiplies before it adds', args: sum('1 + 2 * 3'), gives: { value: 7, exact: true } },
    { title: 'reads from left to right', args: sum('100 / 10 / 5 - 1 - 1'), gives: { value: 0, exact: true } },
    { title: 'honours brackets', args: sum('(1+2)*(3-5)'), gives: { value: -6, exact: true } },
    { title: 'knows the minus in front of a number', args: sum('-2 * -(3)'), gives: { value: 6, exact: true } },
    {
      title: 'rounds a third to twelve decimals and says so',
      args: sum('1/3'),
      gives: { value: 0.333333333333, exact: false },
    },
    { title: 'rounds away from zero below it', args: sum('-2/3'), gives: { value: -0.666666666667, exact: false } },
    { title: 'divides by a negative', args: sum('1 / -8'), gives: { value: -0.125, exact: true } },
    { title: 'has one zero', args: sum('0 * -1'), gives: { value: 0, exact: true } },
    { title: 'accepts blanks on both sides', args: sum('  4 '), gives: { value: 4, exact: true } },
    { title: 'accepts 50 brackets inside one another', args: sum(nested(50)), gives: { value: 1, exact: true } },
    {
      title: 'refuses 51 brackets inside one another',
      args: sum(nested(51)),
      throws: /^RangeError: More than 50 brackets/,
    },
    { title: 'refuses 400 signs in a row', args: sum(`${'-'.repeat(400)}1`), throws: /^RangeError: More than 50/ },
    {
      title: 'refuses division by zero and says where',
      args: sum('1 + 2 / (3 - 3)'),
      throws: /^RangeError: Division by zero at character 7\.$/,
    },
    {
      title: 'accepts the largest value that it can give exactly',
      args: sum('999999999999999'),
      gives: { value: 999999999999999, exact: true },
    },
    { title: 'refuses a result beyond a double', args: sum('10000000000000000 * 10'), throws: /too large to be exact/ },
    {
      title: 'refuses an open bracket',
      args: sum('(1 + 2'),
      throws: /^SyntaxError: The bracket at character 1 is not closed/,
    },
    {
      title: 'refuses a bracket too many',
      args: sum('1 + 2)'),
      throws: /^SyntaxError: Unexpected "\)" at character 6/,
    },
    {
      title: 'refuses two numbers side by side',
      args: sum('1 2'),
      throws: /^SyntaxError: Unexpected "2" at character 3/,
    },
    { title: 'refuses an empty sum', args: sum(' '), throws: /^SyntaxError: The sum stops too early/ },
    { title: 'refuses a sum that ends in a sign', args: sum('1 +'), throws: /^SyntaxError: The sum stops too early/ },
    { title: 'refuses a bare point', args: sum('.5'), throws: /^SyntaxError: Not a sum: character 1/ },
    { title: 'refuses an exponent', args: sum('1e9'), throws: /^SyntaxError: Not a sum: character 2/ },
    { title: 'refuses a power', args: sum('2 ** 64'), throws: /^SyntaxError: Unexpected "\*" at character 4/ },
    { title: 'refuses code', args: sum('globalThis.constructor'), throws: /^SyntaxError: Not a sum: character 1/ },
    {
      title: 'refuses digits of another script',
      args: sum('\u0663 + 1'),
      throws: /^SyntaxError: Not a sum: character 1/,
    },
  ]);

  test('calc.eval agrees with exact whole-number arithmetic', async () => {
    const guest = await load(capability('calc.eval'));
    const whole = fc.integer({ min: -9999, max: 9999 });
    await fc.assert(
      fc.asyncProperty(whole, whole, whole, whole, async (a, b, c, d) => {
        const result = await guest({ expression: `(${a} + ${b}) * ${c} - ${d}` });
        expect(result).toEqual({ value: (a + b) * c - d + 0, exact: true });
      }),
    );
  });

  test('calc.eval answers any text with a number or a plain error', async () => {
    const guest = await load(capability('calc.eval'));
    const soup = fc.array(fc.constantFrom('1', '0', '2.5', '+', '-', '*', '/', '(', ')', ' ', 'x'), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(soup, async (parts) => {
        const outcome = await guest({ expression: parts.join('') }).catch((error: unknown) => error);
        const isPlain = outcome instanceof SyntaxError || outcome instanceof RangeError;
        expect(isPlain || typeof (outcome as { value: number }).value === 'number').toBe(true);
      }),
    );
  });
});

const convert = (value: number, from: string, to: string) => ({ value, from, to });

describe('unit.convert', () => {
  cases('unit.convert', [
    { title: 'turns pounds into grams', args: convert(1, 'lb', 'g'), gives: { value: 453.59237, unit: 'g' } },
    {
      title: 'turns grams into ounces, to ten digits',
      args: convert(500, 'g', 'oz'),
      gives: { value: 17.63698097, unit: 'oz' },
    },
    {
      title: 'turns an imperial pint into millilitres',
      args: convert(1, 'pint', 'ml'),
      gives: { value: 568.26125, unit: 'ml' },
    },
    { title: 'turns inches into centimetres', args: convert(9, 'in', 'cm'), gives: { value: 22.86, unit: 'cm' } },
    { title: 'turns Celsius into Fahrenheit', args: convert(240, 'C', 'F'), gives: { value: 464, unit: 'F' } },
    { title: 'agrees with itself at minus forty', args: convert(-40, 'F', 'C'), gives: { value: -40, unit: 'C' } },
    { title: 'has one zero', args: convert(-0, 'g', 'kg'), gives: { value: 0, unit: 'kg' } },
    { title: 'accepts absolute zero', args: convert(0, 'K', 'C'), gives: { value: -273.15, unit: 'C' } },
    {
      title: 'refuses a degree below absolute zero',
      args: convert(-274, 'C', 'K'),
      throws: /^RangeError: -274 C is below absolute zero/,
    },
    {
      title: 'refuses grams for millilitres',
      args: convert(1, 'g', 'ml'),
      throws: /^RangeError: g and ml do not measure the same thing/,
    },
    { title: 'refuses degrees for grams', args: convert(1, 'C', 'g'), throws: /do not measure the same thing/ },
    {
      title: 'knows no inherited unit',
      args: convert(1, 'toString', 'valueOf'),
      throws: /do not measure the same thing/,
    },
  ]);
});

describe('date.shift', () => {
  cases('date.shift', [
    {
      title: 'names the weekday of a date it does not move',
      args: { date: '2025-10-28' },
      gives: { date: '2025-10-28', weekday: 'Tuesday' },
    },
    {
      title: 'goes to the last of February from the last of January',
      args: { date: '2025-01-31', months: 1 },
      gives: { date: '2025-02-28', weekday: 'Friday' },
    },
    {
      title: 'knows leap years',
      args: { date: '2024-01-31', months: 1 },
      gives: { date: '2024-02-29', weekday: 'Thursday' },
    },
    {
      title: 'knows the century that is none',
      args: { date: '1900-02-28', days: 1 },
      gives: { date: '1900-03-01', weekday: 'Thursday' },
    },
    {
      title: 'goes back over the year',
      args: { date: '2025-01-01', months: -1, weeks: -1, days: -1 },
      gives: { date: '2024-11-23', weekday: 'Saturday' },
    },
    {
      title: 'accepts the first day of the first year',
      args: { date: '0001-01-02', days: -1 },
      gives: { date: '0001-01-01', weekday: 'Monday' },
    },
    {
      title: 'refuses the day before',
      args: { date: '0001-01-01', days: -1 },
      throws: /^RangeError: The year has to stay between 1 and 9999/,
    },
    {
      title: 'refuses the year 10000',
      args: { date: '9999-12-31', days: 1 },
      throws: /^RangeError: The year has to stay/,
    },
    {
      title: 'refuses 29 February 2025',
      args: { date: '2025-02-29' },
      throws: /^RangeError: No such day: "2025-02-29"/,
    },
    { title: 'refuses a thirteenth month', args: { date: '2025-13-01' }, throws: /^RangeError: No such day/ },
    { title: 'refuses day 0', args: { date: '2025-01-00' }, throws: /^RangeError: No such day/ },
    { title: 'refuses a date in another order', args: { date: '28-10-2025' }, throws: /^RangeError: No such day/ },
  ]);

  test('date.shift agrees with the proleptic Gregorian calendar of Date', async () => {
    const guest = await load(capability('date.shift'));
    const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
    const start = fc.date({ min: new Date('0200-01-01'), max: new Date('9800-01-01'), noInvalidDate: true });
    await fc.assert(
      fc.asyncProperty(start, fc.integer({ min: -36600, max: 36600 }), async (from, days) => {
        const date = from.toISOString().slice(0, 10);
        const to = new Date(Date.parse(date) + days * 86_400_000);
        expect(await guest({ date, days })).toEqual({
          date: to.toISOString().slice(0, 10),
          weekday: weekdays[to.getUTCDay()],
        });
      }),
    );
  });
});
