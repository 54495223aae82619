import { disposable } from '../workers/async.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from '../workers/sandbox/create.ts';
import { pageSpawn } from '../workers/sandbox/page.ts';
import { Pool } from '../workers/sandbox/pool.ts';
import { realmSchemas, schemaCompiler } from '../workers/sandbox/schemas.ts';
import { assetsIn, fetchEngine, schemaScripts } from './engine.ts';
import { openSandboxes } from './sandboxes.ts';

export interface PageSandboxOptions extends SandboxOptions {
  /** Folder of this origin with `worker-sandbox.js` and `quickjs.wasm`, where no bundler placed them. */
  readonly assets?: string;
}

/** The page is in the kernel's place: it starts the workers, and watches over them itself. */
export async function openSandbox({ assets, ...options }: PageSandboxOptions): Promise<Sandbox> {
  const { sandbox: url, engine } = assetsIn(assets);
  const file = fetchEngine(engine);
  await file.bytes();
  const sandboxes = openSandboxes(file, url);
  const pool = new Pool(pageSpawn(sandboxes));
  const sandbox = createSandbox(pool, schemaCompiler(realmSchemas(pool.realms, schemaScripts)), options);
  const close = async () => {
    await sandbox.close();
    sandboxes.killAll();
  };
  return disposable({ ...sandbox, close });
}
