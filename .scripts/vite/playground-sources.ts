import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createEngine, SourceChecker, sourceKey } from '../../sandbox/index.ts';
import { bakery } from '../../web/playground/demo/scenario.ts';

const ENGINE = '@jitl/quickjs-wasmfile-release-sync/wasm';

/** Keys of the sources with which the playground opens. Throws for a source that the sandbox refuses. */
export async function playgroundSources(): Promise<readonly string[]> {
  const checker = new SourceChecker(
    await createEngine({ wasm: readFileSync(createRequire(import.meta.url).resolve(ENGINE)) }),
  );
  return bakery('xct').capabilities.map((capability) => {
    checker.check(capability);
    return sourceKey(capability);
  });
}
