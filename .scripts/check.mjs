// `npm run check`: all checks that need no run of the program.
import { writePrograms } from './check/programs.mjs';
import { binOf, runBeside } from './steps.mjs';

// The compiler and the linter's type checker are written in Go and end within seconds: collecting garbage took a
// quarter of their time. Beyond 2 GiB each collects as usual.
process.env['GOGC'] ??= 'off';
process.env['GOMEMLIMIT'] ??= '2GiB';

/** The longest steps, longest first: they start first, so that none of them is left over at the end. */
const LONGEST = [/^oxlint/, /^tsc.*\btest\/tsconfig/, /^knip/, /^tsc.*\bweb\//, /^tsc.*\btest\//, /^tsc/];

const steps = [
  // Steps fill the cores already; a compiler with several threads takes longer beside other steps.
  ...writePrograms().map(({ name, config }) => ({
    name: `tsc ${name}`,
    args: [binOf('typescript#tsc'), '--singleThreaded', '-p', config],
  })),
  { name: 'oxlint', args: [binOf('oxlint'), '--deny-warnings', '--report-unused-disable-directives'] },
  { name: 'biome', args: [binOf('@biomejs/biome#biome'), 'check', '--error-on-warnings'] },
  // The cache holds the imports and exports of each file, by its time and size, in node_modules/.cache/knip.
  { name: 'knip', args: [binOf('knip'), '--no-progress', '--cache'] },
];

const failed = await runBeside(steps.sort((one, other) => rank(one.name) - rank(other.name)));
if (failed.length > 0) {
  console.error(`\ncheck: ${failed.length} failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}

/** @param {string} name */
function rank(name) {
  const found = LONGEST.findIndex((pattern) => pattern.test(name));
  return found === -1 ? LONGEST.length : found;
}
