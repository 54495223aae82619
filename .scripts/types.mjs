// Checks the types of the programs that the arguments name: folders with a tsconfig.json, or such files.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { binOf, node, ROOT } from './steps.mjs';

const CACHE = join(ROOT, 'node_modules/.cache/sallyport/types');

mkdirSync(CACHE, { recursive: true });
for (const program of process.argv.slice(2)) {
  // The compiler remembers by their content which files it has checked.
  const memory = join(CACHE, `${program.replaceAll('/', '-')}.tsbuildinfo`);
  const args = ['--singleThreaded', '--incremental', '--tsBuildInfoFile', memory, '-p', program];
  if ((await node([binOf('typescript#tsc'), ...args])) !== 0) process.exitCode = 1;
}
