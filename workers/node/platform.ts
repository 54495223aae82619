import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createEngine, type EngineSource } from '../../sandbox/index.ts';
import { SCHEMA_COMPILER } from '../../sandbox/schema/compiler.generated.ts';
import type { Ports } from '../ports.ts';
import { NODE_KILLS } from '../sandbox/budget.ts';
import { Pool } from '../sandbox/pool.ts';
import { nodeSpawn } from '../sandbox/spawn-node.ts';
import { realmSchemas } from '../schemas.ts';

let engine: Promise<EngineSource> | undefined;

/** The pinned engine, read and compiled once per process; threads are handed the compiled module. */
function loadEngine(): Promise<EngineSource> {
  engine ??= compileEngine();
  return engine;
}

async function compileEngine(): Promise<EngineSource> {
  const file = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm');
  const { module, wasmHash } = await createEngine({ wasm: await readFile(file) });
  return { module, wasmHash };
}

/** Sandboxes in threads of their own, and the schema realms beside them. */
export async function openSandboxes(): Promise<Pick<Ports, 'sandbox' | 'schemas'>> {
  const pool = new Pool(nodeSpawn(await loadEngine()), { kills: NODE_KILLS });
  return { sandbox: pool, schemas: realmSchemas(pool.realms, async () => SCHEMA_COMPILER) };
}

export const clock: Pick<Ports, 'claim' | 'now' | 'random' | 'nonce'> = {
  // one process, one ledger in its memory
  claim: async () => true,
  now: () => Date.now(),
  random: () => Math.random(),
  nonce: () => randomBytes(16).toString('hex'),
};
