// `npm run test:quick`: the check, and the unit tests that a change touches.
import { ready } from './ready.mjs';

const HELP = `npm run test:quick

Runs the check, and in Node the unit tests whose imports lead to a changed file, with a quarter of their generated cases:
changed against the merge base with main on a branch, against HEAD on main itself.`;

if (process.argv.length > 2) {
  console.log(HELP);
  process.exitCode = process.argv[2] === '--help' ? 0 : 2;
} else {
  ready();
  const { baseCommit } = await import('./test/changed.mjs');
  const { runParts } = await import('./test/run.mjs');
  const args = ['--project', 'node', '--changed', baseCommit(), '--passWithNoTests'];
  const unit = { name: 'unit', tool: /** @type {const} */ ('vitest'), args, env: { SALLYPORT_CASES: 'quarter' } };
  process.exitCode = await runParts([unit], { beside: ['checks'] });
}
