// `npm run test:quick`: types, lint and the unit tests that a change touches, within a minute.
import { ready } from './ready.mjs';
import { HELP, readOptions } from './test/args.mjs';

const read = readOptions('npm run test:quick', process.argv.slice(2));
if ('fault' in read) {
  console.error(read.fault);
  process.exitCode = 2;
} else if (read.options.help) console.log(HELP['npm run test:quick']);
else {
  ready();
  // Packages can be imported only now that they are installed.
  const { runQuick } = await import('./test/quick.mjs');
  process.exitCode = await runQuick(read.options);
}
