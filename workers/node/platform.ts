import { randomBytes } from 'node:crypto';
import type { EngineSource } from '../../sandbox/index.ts';
import { SCHEMA_CHECKER } from '../../sandbox/schema/checker.generated.ts';
import { SCHEMA_COMPILER } from '../../sandbox/schema/compiler.generated.ts';
import { makeSigner, SIGNER } from '../audit/checkpoint.ts';
import type { Ports } from '../ports.ts';
import { NODE_KILLS } from '../sandbox/budget.ts';
import { Pool } from '../sandbox/pool.ts';
import { realmSchemas } from '../sandbox/schemas.ts';
import { nodeEngine, nodeSpawn } from './spawn.ts';

const SCRIPTS = { compiler: SCHEMA_COMPILER, checker: SCHEMA_CHECKER };

/** Read and compiled once per process. */
let engine: Promise<EngineSource> | undefined;

/** Sandboxes in threads of their own, and the schema realms beside them. */
export async function openSandboxes(): Promise<Pick<Ports, 'sandbox' | 'schemas'>> {
  const pool = new Pool(nodeSpawn(await (engine ??= nodeEngine())), { kills: NODE_KILLS });
  const schemas = realmSchemas(pool.realms, async () => SCRIPTS);
  return { sandbox: pool, schemas };
}

/** A key of this process: what it signed can be checked by whoever kept the key's public half. */
let signer: ReturnType<typeof makeSigner> | undefined;

export const clock: Pick<Ports, 'claim' | 'now' | 'random' | 'nonce' | 'signer'> = {
  signer: () => (signer ??= makeSigner(SIGNER)),
  // one process, one ledger in its memory
  claim: async () => () => undefined,
  now: () => Date.now(),
  random: () => Math.random(),
  nonce: () => randomBytes(16).toString('hex'),
};
