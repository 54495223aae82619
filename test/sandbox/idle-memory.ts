import { type CapabilityRealm, createEngine, loadCapability, WarmRealms } from '../../sandbox/index.ts';

const COUNT = 200;

/**
 * KiB of resident memory that each idle trivial capability takes beyond the first. Runs in its own process, since the
 * garbage of other tests would be counted with it.
 */
export async function idleKiB(
  wasm: Uint8Array<ArrayBuffer>,
  residentKiB: () => Promise<number>,
): Promise<{ readonly each: number; readonly answered: number }> {
  const engine = await createEngine({ wasm });
  const warm = new WarmRealms(1);
  const kept: CapabilityRealm[] = [];
  let answered = 0;
  const one = (i: number) => {
    const loaded = loadCapability(engine, { name: 'test', source: `export default ({ a }) => a + ${i}` });
    warm.use(loaded.realm);
    const step = loaded.prepare({ seed: 0, now: 0 }).begin('{"a":1}');
    if (step.done && step.settled.ok && step.settled.text === String(1 + i)) answered += 1;
    kept.push(loaded);
  };
  // Engine tiers and code caches have grown by then.
  for (let i = 0; i < 40; i++) one(i);
  const before = await residentKiB();
  for (let i = 40; i < 40 + COUNT; i++) one(i);
  const each = ((await residentKiB()) - before) / COUNT;
  return { each, answered: kept.length === 40 + COUNT ? answered : 0 };
}
