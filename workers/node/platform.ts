import { randomFillSync } from 'node:crypto';
import type { EngineSource } from '../../sandbox/index.ts';
import { SCHEMA_CHECKER } from '../../sandbox/schema/checker.generated.ts';
import { SCHEMA_COMPILER } from '../../sandbox/schema/compiler.generated.ts';
import { makeSigner, SIGNER } from '../auditor/checkpoint.ts';
import { makeNonces } from '../nonces.ts';
import type { Ports } from '../ports.ts';
import { NODE_KILLS } from '../sandbox/call-driver.ts';
import { Pool } from '../sandbox/pool.ts';
import { realmSchemas, SchemaMemory } from '../sandbox/schemas.ts';
import { useNodeHash } from './hash.ts';
import { nodeEngine, nodeSpawn } from './spawn.ts';

useNodeHash();

const SCRIPTS = { compiler: SCHEMA_COMPILER, checker: SCHEMA_CHECKER };

/** Judgements and generated code of the runtimes of this process. */
const MEMORY = new SchemaMemory();

/** Read and compiled a single time for each process. */
let engine: Promise<EngineSource> | undefined;

/** Sandboxes in threads of their own, with their schema realms. */
export async function openSandboxes(): Promise<Pick<Ports, 'sandbox' | 'schemas'>> {
  const pool = new Pool(nodeSpawn(await (engine ??= nodeEngine())), { kills: NODE_KILLS });
  const schemas = realmSchemas(pool.realms, async () => SCRIPTS, MEMORY);
  return { sandbox: pool, schemas };
}

/** A key of this process: its signatures can be checked with the saved public key. */
let signer: ReturnType<typeof makeSigner> | undefined;

export const nodePorts: Pick<Ports, 'claim' | 'now' | 'random' | 'nonce' | 'signer'> = {
  signer: () => (signer ??= makeSigner(SIGNER)),
  // A process has a single ledger in its memory.
  claim: async () => () => undefined,
  now: () => Date.now(),
  random: () => Math.random(),
  nonce: makeNonces(randomFillSync),
};
