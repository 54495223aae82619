// Checks the types of the programs that the arguments name: folders with a tsconfig.json, or such files.
import { binOf, node } from './steps.mjs';

for (const program of process.argv.slice(2)) {
  if ((await node([binOf('typescript#tsc'), '--singleThreaded', '-p', program])) !== 0) process.exitCode = 1;
}
