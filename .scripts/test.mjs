// `npm test`: on a fresh clone too. `npm test -- --help` lists the options. Ends with the line that counts its tests.

import { ready } from './ready.mjs';
import { HELP, readOptions } from './test/args.mjs';

const read = readOptions('npm test', process.argv.slice(2));
if ('fault' in read) stop(read.fault);
else if (read.options.help) console.log(HELP['npm test']);
else {
  ready();
  // Packages can be imported only now that they are installed.
  const { runTests } = await import('./test/main.mjs');
  const ended = await runTests(read.options);
  if ('fault' in ended) stop(ended.fault);
  else process.exitCode = ended.code;
}

/** @param {string} fault */
function stop(fault) {
  console.error(fault);
  process.exitCode = 2;
}
