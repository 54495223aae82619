import { expose } from 'comlink';
import { misuse, SallyportError } from '../../core/index.ts';
import {
  buildRealm,
  type Call,
  type CallStep,
  createEngine,
  type Engine,
  type EngineSource,
  type Loaded,
  loadCapability,
  type Realm,
} from '../../sandbox/index.ts';
import type { Loading, SandboxRemote } from './remote.ts';

/** Answers on a port with the sandbox of this thread. Messages that come before the engine is compiled wait for it. */
export function serve(port: MessagePort, source: EngineSource): void {
  expose(remote(createEngine(source)), port);
}

function remote(starting: Promise<Engine>): SandboxRemote {
  const capabilities = new Map<string, Loaded>();
  const realms = new Map<string, Realm>();
  const calls = new Map<number, Call>();
  // a failed start is told to whoever asks, not to nobody
  starting.catch(() => undefined);
  const took = (number: number, call: Call, step: CallStep): CallStep => {
    if (step.done) calls.delete(number);
    else calls.set(number, call);
    return step;
  };
  return {
    load: ({ hash, ...capability }) =>
      loading(async () => {
        const loaded = capabilities.get(hash) ?? loadCapability(await starting, capability);
        capabilities.set(hash, loaded);
        return { imageHash: loaded.imageHash };
      }),
    begin: (number, hash, args, input) => {
      const call = found(capabilities, hash).prepare(input);
      return Promise.resolve(took(number, call, call.begin(args)));
    },
    resume: (number, ticket, answer) => {
      const call = calls.get(number);
      if (call === undefined) throw misuse('ticket_unknown', { ticket });
      return Promise.resolve(took(number, call, call.resume(ticket, answer)));
    },
    drop: (number) => {
      calls.get(number)?.abort();
      calls.delete(number);
      return Promise.resolve();
    },
    buildRealm: (id, realm, limits) =>
      loading(async () => {
        const built = realms.get(id) ?? buildRealm(await starting, realm, limits);
        realms.set(id, built);
        return { imageHash: built.imageHash };
      }),
    callRealm: (id, entry, text) => Promise.resolve(found(realms, id).call(entry, text)),
  };
}

function found<T>(map: ReadonlyMap<string, T>, hash: string): T {
  const item = map.get(hash);
  if (item === undefined) throw misuse('capability_unloaded', { hash });
  return item;
}

async function loading<T>(load: () => Promise<T>): Promise<Loading<T>> {
  try {
    return { ok: true, value: await load() };
  } catch (error) {
    if (!(error instanceof SallyportError)) throw error;
    const { code, message, details, line, column } = error;
    const at = line === undefined || column === undefined ? {} : { line, column };
    return { ok: false, error: { code, message, details, ...at } };
  }
}
