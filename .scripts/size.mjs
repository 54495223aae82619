// `npm run size`: the gzipped sizes of a first visit, as a table. `--parts` lists the contents of the
// workers, `--ablate` what the kernel worker would weigh without each of its parts.
//
// A goal is the size aimed at; a missed goal is only printed. The command fails for growth over `held`: the size reached
// so far, with a little room. A change that makes a file smaller lowers `held`.
import { partsOf } from './bundle-report.mjs';
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
if (process.argv.includes('--ablate')) {
  const { ablate } = await import('./size-ablate.mjs');
  await ablate();
}
