import { createEngine, type EngineSource, type Loaded, loadCapability } from '../../sandbox/index.ts';
import type { SandboxPort } from '../../workers/sandbox/port.ts';

/** The real sandbox in the test's own thread: no worker, so nothing here ends a guest that hangs. */
export async function oneRealm(source: EngineSource): Promise<SandboxPort> {
  const engine = await createEngine(source);
  const loaded = new Map<string, Loaded>();
  const find = (hash: string): Loaded => {
    const capability = loaded.get(hash);
    if (capability === undefined) throw new Error(`not loaded: ${hash}`);
    return capability;
  };
  return {
    async load({ hash, ...source }) {
      const capability = loaded.get(hash) ?? loadCapability(engine, source);
      loaded.set(hash, capability);
      return { imageHash: capability.imageHash };
    },
    call({ hash, args, ...input }) {
      const call = find(hash).prepare(input);
      const step = call.begin(args);
      return { settled: Promise.resolve(step.done ? step.settled : call.abort()), abort: () => undefined };
    },
    close: async () => undefined,
  };
}
