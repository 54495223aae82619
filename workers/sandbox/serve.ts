import { misuse, SallyportError } from '../../core/sallyport-error.ts';
import {
  adoptCapability,
  adoptRealm,
  buildRealm,
  type Call,
  type CallStep,
  type CapabilityRealm,
  createEngine,
  type Engine,
  type EngineSource,
  type GivenImage,
  loadCapability,
  type Realm,
  SourceChecker,
  storeImage,
  WarmRealms,
} from '../../sandbox/index.ts';
import { crossed, serveMethods } from '../lock/realm-port.ts';
import type { LoadedImage } from './port.ts';
import { GUEST_RUNS, HOST_WORKS, type SandboxRemote } from './remote.ts';

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
    load: (capability, image) =>
      crossed(async () => {
        const { hash } = capability;
        const engine = await engineForGuest();
        const loaded = startFrom(capabilities.get(hash), image, {
          adopt: (given) => adoptCapability(engine, capability, given),
          build: () => loadCapability(engine, capability),
        });
        capabilities.set(hash, loaded.realm);
        warm.use(loaded.realm.realm);
        return imageOf(loaded, loaded.realm.realm);
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
    drop: async (number) => {
      calls.get(number)?.abort();
      calls.delete(number);
    },
    buildRealm: (id, source, limits, image) =>
      crossed(async () => {
        const engine = await engineForGuest();
        const loaded = startFrom(realms.get(id), image, {
          adopt: (given) => adoptRealm(engine, source, limits, given),
          build: () => buildRealm(engine, source, limits),
        });
        realms.set(id, loaded.realm);
        return imageOf(loaded, loaded.realm);
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

interface Started<T> {
  readonly realm: T;
  readonly isBuilt: boolean;
}

/** A realm that this worker has, or one from the given image, or a built one. */
function startFrom<T>(
  present: T | undefined,
  image: GivenImage | undefined,
  { adopt, build }: { adopt(image: GivenImage): T; build(): T },
): Started<T> {
  if (present !== undefined) return { realm: present, isBuilt: false };
  if (image === undefined) return { realm: build(), isBuilt: true };
  try {
    return { realm: adopt(image), isBuilt: false };
  } catch (error) {
    // the source is still there
    if (error instanceof SallyportError) return { realm: build(), isBuilt: true };
    throw error;
  }
}

function imageOf({ isBuilt }: Started<unknown>, { imageHash, image }: Realm): LoadedImage {
  return isBuilt ? { imageHash, built: storeImage(image) } : { imageHash };
}

function found<T>(map: ReadonlyMap<string, T>, hash: string): T {
  const item = map.get(hash);
  if (item === undefined) throw misuse('capability_unloaded', { hash });
  return item;
}
