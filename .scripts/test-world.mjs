// `npm run test:world`: the suites that start other programs. Ends with the line that counts its tests.

import { ready } from './ready.mjs';
import { HELP, readOptions } from './test/args.mjs';

const read = readOptions('npm run test:world', process.argv.slice(2));
if ('fault' in read) stop(read.fault);
else if (read.options.help) console.log(HELP['npm run test:world']);
else {
  ready();
  // Packages can be imported only now that they are installed.
  const { runWorld } = await import('./test/main.mjs');
  const ended = await runWorld(read.options);
  if ('fault' in ended) stop(ended.fault);
  else process.exitCode = ended.code;
}

/** @param {string} fault */
function stop(fault) {
  console.error(fault);
  process.exitCode = 2;
}
