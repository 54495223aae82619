import { expect, it } from 'vitest';
import { CALL_LIMITS } from '../../core/index.ts';
import { buildRealm, CapabilityRealm } from '../../sandbox/index.ts';
import { engine } from './guest.ts';

/** A heap with other functions in place of the prelude, as after a guest that has broken the engine. */
async function damaged(said: string, lines: string): Promise<CapabilityRealm> {
  const text = `({ start: () => ${JSON.stringify(said)}, poll: () => ${JSON.stringify(said)}, lines: () => ${JSON.stringify(lines)} })`;
  const source = { prelude: { name: 'prelude.js', text }, entries: ['start', 'poll', 'lines'] };
  const realm = buildRealm(await engine(), source, CALL_LIMITS);
  return new CapabilityRealm({ name: 'damaged', source: '', powers: ['get'] }, CALL_LIMITS, realm);
}

it.each([
  ...['w[', 'w{}', 'w5', 'wnull', 'w[1]', 'w[[2,"get","[]"]]', 'w[[1,"put","[]"]]', 'w[[1,"get"]]', 'w[[1,"get",5]]'],
  ...['t', 't{', 't5', 'tnull', 'T[1]', 'p', 'r{', 'a}', 'x', 'w[[1,"get","[]"],[1,"get","[]"]]'],
])('a damaged heap ends its call as corrupt: %s', async (said) => {
  const loaded = await damaged(said, '0[]');
  for (let i = 0; i < 2; i++) {
    const step = loaded.prepare({ seed: 0, now: 0 }).begin('{}');
    expect(step).toMatchObject({ done: true, settled: { ok: false, kind: 'corrupt' } });
  }
});

it.each(['', '0', '0[', '0[1]', '0[["log"]]', '0{}', '1null'])(
  'a damaged heap with malformed console lines ends its call as corrupt: %s',
  async (lines) => {
    const step = (await damaged('V1', lines)).prepare({ seed: 0, now: 0 }).begin('{}');
    expect(step).toMatchObject({ done: true, settled: { ok: false, kind: 'corrupt', console: [] } });
  },
);
