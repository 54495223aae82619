import { useNodeHash } from '../../workers/node/hash.ts';
import { nodeEngine, nodeSpawn } from '../../workers/node/platform.ts';
import { NODE_KILLS } from '../../workers/sandbox/call-driver.ts';
import { Pool } from '../../workers/sandbox/pool.ts';
import { ablate } from './ablate.ts';
import { hang } from './hang.ts';
import { privilege } from './privilege.ts';
import { scale } from './scale.ts';
import { SECTIONS as ANYWHERE, type Section } from './sections.ts';
import { tools } from './tools.ts';

export { median, race, timesOf } from './race.ts';
export { formatResults, mergeResults } from './results.ts';
export { races } from './sandbox-cases.ts';
export { LARGE, runSections } from './sections.ts';
export { countsOf, flatRow, rowsOf, tableOf } from './table.ts';

// as the entry for Node does
useNodeHash();

const pool = async () => new Pool(nodeSpawn(await nodeEngine()), { kills: NODE_KILLS });

/** The sections that run anywhere, and the sections that need threads. */
export const SECTIONS: readonly Section[] = [
  ...ANYWHERE,
  { name: 'hang', rounds: 3, run: (_wasm, rounds) => hang(pool, rounds) },
  { name: 'ablate', rounds: 7, run: (wasm, rounds) => ablate(wasm, rounds, useNodeHash) },
  { name: 'scale', rounds: 3, run: (_wasm, rounds) => scale(rounds) },
  { name: 'privilege', rounds: 3, run: async (_wasm, rounds) => privilege(rounds) },
  { name: 'tools', rounds: 5, run: (_wasm, rounds) => tools(rounds) },
];
