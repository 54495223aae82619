import {
  type Call,
  type CallStep,
  type CapabilityRealm,
  createEngine,
  type EngineSource,
  loadCapability,
  SourceChecker,
} from '../../../sandbox/index.ts';
import type { ParkableCall, PersistentSandboxPort } from '../../../workers/sandbox/port.ts';

/**
 * The real sandbox in the thread of the test. Without a worker, a guest that hangs is not ended. Without powers, a call
 * that waits for a power is aborted.
 */
export async function oneRealm(source: EngineSource): Promise<PersistentSandboxPort> {
  const engine = await createEngine(source);
  const loaded = new Map<string, CapabilityRealm>();
  const find = (hash: string): CapabilityRealm => {
    const capability = loaded.get(hash);
    if (capability === undefined) throw new Error(`not loaded: ${hash}`);
    return capability;
  };
  const sources = new SourceChecker(engine);
  return {
    check: async (capability) => sources.check(capability),
    async load({ hash, ...source }) {
      const capability = loaded.get(hash) ?? loadCapability(engine, source);
      loaded.set(hash, capability);
      return { imageHash: capability.imageHash };
    },
    call({ hash, args, ...input }) {
      const call = find(hash).prepare(input);
      return over(call, call.begin(args));
    },
    resume({ hash, parked, digest }) {
      const call = find(hash).unpark(parked, digest);
      return over(call, { done: false, requests: call.open });
    },
    close: async () => undefined,
  };
}

function over(call: Call, step: CallStep): ParkableCall {
  const settled = Promise.resolve(step.done ? step.settled : call.abort());
  return { settled, abort: () => undefined, park: async () => undefined };
}
