import { expect, test } from 'vitest';
import { openPeerChannel, type PeerMessage } from '../../../workers/store/peer-channel.ts';

const GROWN: PeerMessage = { type: 'grown', run_id: 'a' };

test('a kernel that has left broadcasts to nobody, and its late message is no error', async () => {
  const name = `peers-${crypto.randomUUID()}`;
  const [leaving, other] = [openPeerChannel(name), openPeerChannel(name)];
  const heard: PeerMessage[] = [];
  other?.onMessage((message) => heard.push(message));
  leaving?.broadcast(GROWN);
  await expect.poll(() => heard).toEqual([GROWN]);
  leaving?.close();
  expect(() => leaving?.broadcast({ ...GROWN, run_id: 'b' })).not.toThrow();
  const late = openPeerChannel(name);
  late?.broadcast({ ...GROWN, run_id: 'c' });
  await expect.poll(() => heard).toEqual([GROWN, { ...GROWN, run_id: 'c' }]);
  late?.close();
  other?.close();
});
