// `npm run test:long`: everything that `npm test` leaves out; `npm run test:long -- PART` runs one part of it.
import { provideBrowsers, provideServers } from './install.mjs';
import { node, ready } from './steps.mjs';
import { LONG } from './test/parts.mjs';
import { runParts } from './test/run.mjs';

const rows = Object.entries(LONG).map(
  ([name, { minutes, does, alone }]) =>
    `  ${name.padEnd(16)} ${`${minutes} min`.padStart(7)}  ${does}${alone ? ' (only by its name)' : ''}`,
);
const HELP = `npm run test:long [-- PART [ARGUMENT…]]

Runs all parts but those that run only by their name, or one part; the minutes are those of two cores. ARGUMENTS go to
the part: -- world mcp-gateway, -- stories --shard 1/4, -- kills --help.

${rows.join('\n')}`;

const [name, ...rest] = process.argv.slice(2);
if (name === '--help' || name === '-h') console.log(HELP);
else if (name !== undefined && !Object.hasOwn(LONG, name)) {
  console.error(`test:long has no part '${name}'.\n\n${HELP}`);
  process.exitCode = 2;
} else process.exitCode = await run();

async function run() {
  const chosen = Object.entries(LONG).filter(([each, { alone }]) => (name === undefined ? !alone : each === name));
  const minutes = chosen.reduce((sum, [, each]) => sum + each.minutes, 0);
  // The standard output of a part that runs alone is for machines, too.
  console.error(`test:long${name === undefined ? '' : ` ${name}`}: about ${minutes} minutes on two cores`);
  ready();
  if (chosen.every(([, { alone }]) => alone)) return node([...(chosen[0]?.[1].part.args ?? []), ...rest]);
  provideBrowsers(['chromium', 'firefox']);
  if (chosen.some(([each]) => each === 'world')) provideServers();
  const parts = chosen.map(([each, { part }]) => ({ ...part, name: each, args: [...part.args, ...rest] }));
  return runParts(parts, { before: parts.some(({ built }) => built) ? 'dist' : undefined });
}
