// `npm run check`: all checks that need no run of the program. A part is not run again while the files that it reads
// are those with which it last passed; with `--no-cache`, or with `CI` in the environment, every part runs whole.
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { readParts } from './check/parts.mjs';
import { changedUnits, mayRemember, passedAfter, readPassed, savePassed } from './check/passed.mjs';
import { ROOT, runBeside } from './steps.mjs';

// The compiler and the linter's type checker are written in Go and end within seconds: collecting garbage took a
// quarter of their time. Beyond a quarter of the memory each collects as usual.
process.env['GOGC'] ??= 'off';
process.env['GOMEMLIMIT'] ??= `${Math.max(2, Math.floor(totalmem() / 2 ** 32))}GiB`;

const PASSED = join(ROOT, 'node_modules/.cache/sallyport/check/passed.json');

/** The longest steps, longest first: they start first, so that none of them is left over at the end. */
const LONGEST = [/^oxlint/, /^tsc.*\btest\/tsconfig/, /^knip/, /^tsc.*\bweb\//, /^tsc.*\btest\//, /^tsc/];

const passed = mayRemember(process.argv, process.env) ? readPassed(PASSED) : {};
const parts = readParts().map((part) => ({ ...part, changed: changedUnits(part.keys, passed[part.name]) }));

const steps = parts
  .filter(({ changed }) => changed.length > 0)
  .map(({ name, changed, args }) => ({ name, args: args(changed) }))
  .sort((one, other) => rank(one.name) - rank(other.name));
for (const { name, changed } of parts)
  if (changed.length === 0) console.log(`same ${name}: unchanged since it last passed`);

const failed = await runBeside(steps);
if (steps.length > 0) savePassed(PASSED, remembered(readParts()));
if (failed.length > 0) {
  console.error(`\ncheck: ${failed.length} failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}

/** @param {import('./check/parts.mjs').Part[]} now the parts as they are behind the run
 * @returns {import('./check/passed.mjs').Passed} */
function remembered(now) {
  return Object.fromEntries(
    parts.map(({ name, keys }) => {
      const after = now.find((part) => part.name === name)?.keys ?? {};
      return [name, passedAfter(keys, after, !failed.includes(name), passed[name])];
    }),
  );
}

/** @param {string} name */
function rank(name) {
  const found = LONGEST.findIndex((pattern) => pattern.test(name));
  return found === -1 ? LONGEST.length : found;
}
