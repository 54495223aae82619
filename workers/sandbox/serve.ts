import { misuse, SallyportError } from '../../core/sallyport-error.ts';
import {
  adoptCapability,
  buildRealm,
  type Call,
  type CallStep,
  type CapabilityRealm,
  createEngine,
  type Engine,
  type EngineSource,
  loadCapability,
  type Realm,
  SourceChecker,
  storeImage,
  WarmRealms,
} from '../../sandbox/index.ts';
import { crossed, serveMethods } from '../lock/realm-port.ts';
import type { GuestCapability } from './port.ts';
import type { SandboxRemote } from './remote.ts';
import { GUEST_RUNS, HOST_WORKS } from './turn-watch.ts';

/** Serves the sandbox of this thread on a port. Messages that come before the engine is compiled wait for it. */
export function serve(port: MessagePort, source: EngineSource): void {
  const starting = createEngine(source);
  // a failed start is reported to each caller, so this rejection is handled
  starting.catch(() => undefined);
  serveMethods(
    port,
    remote(starting, (mark) => port.postMessage(mark)),
  );
}

function remote(starting: Promise<Engine>, tell: (mark: string) => void): SandboxRemote {
  const capabilities = new Map<string, CapabilityRealm>();
  const realms = new Map<string, Realm>();
  const calls = new Map<number, Call>();
  const warm = new WarmRealms();
  let sources: SourceChecker | undefined;
  const turn = (number: number, call: Call, step: CallStep): CallStep => {
    if (step.done) calls.delete(number);
    else calls.set(number, call);
    return step;
  };
  /** Work of the host within a turn of the guest. */
  const aside = <T>(work: () => T): T => {
    tell(HOST_WORKS);
    const made = work();
    tell(GUEST_RUNS);
    return made;
  };
  const engineForGuest = async (): Promise<Engine> => {
    const engine = await starting;
    tell(GUEST_RUNS);
    return engine;
  };
  const loadedOf = (hash: string): CapabilityRealm => {
    const loaded = found(capabilities, hash);
    warm.use(loaded.realm);
    return loaded;
  };
  return {
    ready: async () => void (await starting),
    check: async (all) => {
      sources ??= new SourceChecker(await starting);
      tell(GUEST_RUNS);
      const checker = sources;
      return Promise.all(all.map((source) => crossed(async () => checker.check(source))));
    },
    load: (capability) =>
      crossed(async () => {
        const present = capabilities.get(capability.hash);
        const { loaded, adopted } = present
          ? { loaded: present, adopted: true }
          : loadOrAdopt(await engineForGuest(), capability);
        capabilities.set(capability.hash, loaded);
        warm.use(loaded.realm);
        return { imageHash: loaded.imageHash, adopted };
      }),
    begin: async (number, hash, args, input) => {
      const call = loadedOf(hash).prepare(input, aside);
      tell(GUEST_RUNS);
      return turn(number, call, call.begin(args));
    },
    resume: async (number, ticket, answer) => {
      const call = calls.get(number);
      if (call === undefined) throw misuse('ticket_unknown', { ticket });
      tell(GUEST_RUNS);
      return turn(number, call, call.resume(ticket, answer));
    },
    park: async (number) => {
      const parked = calls.get(number)?.park();
      if (parked !== undefined) calls.delete(number);
      return parked;
    },
    unpark: async (number, hash, parked, digest) => {
      const call = loadedOf(hash).unpark(parked, digest, aside);
      return turn(number, call, { done: false, requests: call.open });
    },
    image: async (hash) => storeImage(loadedOf(hash).realm.image),
    drop: async (number) => {
      calls.get(number)?.abort();
      calls.delete(number);
    },
    buildRealm: (id, realm, limits) =>
      crossed(async () => {
        const built = realms.get(id) ?? buildRealm(await engineForGuest(), realm, limits);
        realms.set(id, built);
        return { imageHash: built.imageHash };
      }),
    callRealm: async (id, entry, text) => {
      const realm = found(realms, id);
      warm.use(realm);
      tell(GUEST_RUNS);
      return realm.call(entry, text);
    },
    dropRealm: async (id) => {
      realms.delete(id);
    },
  };
}

/** A refused cached image costs only a build: the source is still there. */
function loadOrAdopt(engine: Engine, capability: GuestCapability): { loaded: CapabilityRealm; adopted: boolean } {
  const build = () => ({ loaded: loadCapability(engine, capability), adopted: false });
  const { image } = capability;
  if (image === undefined) return build();
  try {
    return { loaded: adoptCapability(engine, capability, image.stored, image.digest), adopted: true };
  } catch (error) {
    if (error instanceof SallyportError) return build();
    throw error;
  }
}

function found<T>(map: ReadonlyMap<string, T>, hash: string): T {
  const item = map.get(hash);
  if (item === undefined) throw misuse('capability_unloaded', { hash });
  return item;
}
