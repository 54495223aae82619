import type { Runtime, RuntimeOptions } from '../api.ts';
import { localAuditor } from '../auditor/auditor.ts';
import { openClient } from '../client/client.ts';
import { makeKernel } from '../kernel/kernel.ts';
import { nodePorts, openSandboxes } from '../node/platform.ts';
import { openMemoryStore } from '../store/memory/store.ts';
import type { FakeClock } from './clock.ts';
import { randomFrom } from './random.ts';

export interface TestOptions extends RuntimeOptions {
  /** Time of records and expiring grants; the real clock by default. */
  readonly clock?: FakeClock;
  /** Determines the values of the power `random`. */
  readonly seed?: number;
}

/** The runtime of `sallyport/node`, in memory, with a repeatable clock and random numbers. */
export async function openTestRuntime({ clock, seed = 0, ...options }: TestOptions = {}): Promise<Runtime> {
  const time = { ...nodePorts, random: randomFrom(seed), ...(clock && { now: () => clock.now() }) };
  const ports = { store: openMemoryStore(), ...(await openSandboxes()), ...time };
  const kernel = makeKernel(ports, { isolation: 'node', probes: [], store: { kind: 'memory' } });
  return openClient(kernel, async () => localAuditor(openSandboxes), options);
}
