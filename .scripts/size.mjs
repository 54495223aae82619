// `npm run size`: what a first visit loads, gzipped, as a table. `--parts` says of what the workers are made.
//
// A goal is what was set out for, and is printed as missed where it is. What fails is growth over what is held: the
// size that was reached, with a little room. Whoever shrinks something lowers what is held.
import { partsOf } from './parts.mjs';
import { ROWS } from './sizes.mjs';

const PARTS = [
  'workers/kernel/worker.ts',
  'workers/sandbox/worker.ts',
  'workers/auditor/worker.ts',
  'core/verify.ts',
  'web/element.ts',
];

/** @param {import('./sizes.mjs').Row} row */
async function weigh({ what, size, held, goal }) {
  const kb = await size();
  const missed = goal === undefined ? '' : `  goal ${goal}${kb > goal ? ', missed' : ''}`;
  console.log(`${what.padEnd(28)} ${kb.toFixed(1).padStart(7)} KB gz${missed}${kb > held ? `  OVER ${held}` : ''}`);
  return kb > held;
}

async function tellParts() {
  for (const entry of PARTS) {
    const { total, parts } = await partsOf(entry);
    console.log(`\n${entry}  ${total.toFixed(1)} KB gz`);
    for (const { module, share } of parts) console.log(`${share.toFixed(2).padStart(7)}  ${module}`);
  }
}

for (const row of ROWS) if (await weigh(row)) process.exitCode = 1;
if (process.argv.includes('--parts')) await tellParts();
