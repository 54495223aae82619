// Commands of package.json that stand for several scripts: `npm run bench -- plots` runs `bench-plots.mjs`.
import { node, ready, wireit } from './steps.mjs';

/** By command: the program of each first word, and of none. `wireit NAME` is a script of the section `wireit`.
 * @type {Record<string, Record<string, string>>} */
const COMMANDS = {
  bench: {
    '': 'bench.mjs',
    dojo: 'bench-dojo.mjs',
    page: 'bench-page.mjs',
    plots: 'bench-plots.mjs',
    results: 'bench.mjs all --results test/bench/results.json',
    'small-model': '../test/small-model/bench.mjs',
  },
  build: { '': 'wireit dist' },
  check: { '': 'wireit checks', all: 'wireit checks:all', fix: 'wireit fix' },
  docs: { '': 'wireit site', shots: '../e2e/shots/shots.mjs' },
};

const [command = '', first = '', ...rest] = process.argv.slice(2);
const programs = COMMANDS[command] ?? {};
const [program = '', ...words] = (programs[first] ?? programs[''] ?? '').split(' ');
const isNamed = first !== '' && first in programs;
if (program === 'wireit' || command === 'bench') ready();
if (program !== 'wireit') {
  const given = isNamed || first === '' ? rest : [first, ...rest];
  process.exitCode = await node([`.scripts/${program}`, ...words, ...given]);
  // The results are also the plots of the documentation.
  if (first === 'results' && process.exitCode === 0) process.exitCode = await node(['.scripts/bench-plots.mjs']);
} else if (isNamed || first === '') process.exitCode = await wireit(words[0] ?? '');
else {
  const named = Object.keys(programs).filter((name) => name !== '');
  const takes = named.length === 0 ? 'nothing' : `nothing, or ${named.join(' or ')}`;
  console.error(`npm run ${command} takes ${takes}, not '${first}'.`);
  process.exitCode = 2;
}
