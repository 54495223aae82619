// `npm run check -- fix`: writes the format and the order of imports that the check demands.
import { binOf, node } from './steps.mjs';

process.exitCode = await node([binOf('@biomejs/biome#biome'), 'check', '--write', ...process.argv.slice(2)]);
