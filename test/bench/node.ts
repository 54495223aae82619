import { nodeEngine, nodeSpawn } from '../../workers/node/spawn.ts';
import { NODE_KILLS } from '../../workers/sandbox/budget.ts';
import { Pool } from '../../workers/sandbox/pool.ts';
import { hang } from './hang.ts';
import { SECTIONS as ANYWHERE, type Section } from './sections.ts';

export { LARGE, runSections } from './sections.ts';
export { countsOf, tableOf } from './table.ts';

const pool = async () => new Pool(nodeSpawn(await nodeEngine()), { kills: NODE_KILLS });

/** The sections that run anywhere, and the section that needs threads. */
export const SECTIONS: readonly Section[] = [
  ...ANYWHERE,
  { name: 'hang', rounds: 3, run: (_wasm, rounds) => hang(pool, rounds) },
];
