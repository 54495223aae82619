import { afterEach, beforeEach, expect, test } from 'vitest';
import { openPeerChannel, type PeerMessage, type Peers } from '../../../workers/store/peer-channel.ts';

const GROWN: PeerMessage = { type: 'grown', run_id: 'a' };
const ASKED: PeerMessage = { type: 'asked', run_id: 'a' };

/** Another script of the origin, which hears each message. */
let script: BroadcastChannel;
let told: PeerMessage['type'][];
let opened: Peers[];

beforeEach(() => {
  [told, opened] = [[], []];
  script = new BroadcastChannel(`peers-${crypto.randomUUID()}`);
  script.onmessage = ({ data }: MessageEvent<PeerMessage>) => void told.push(data.type);
});
afterEach(() => {
  for (const peers of [script, ...opened]) peers.close();
});

/** Opens a kernel's end, and returns it with the messages that it hears. */
function open(): [Peers, readonly PeerMessage[]] {
  const peers = openPeerChannel(script.name) as Peers;
  const heard: PeerMessage[] = [];
  peers.onMessage((message) => heard.push(message));
  opened.push(peers);
  return [peers, heard];
}

test('a kernel tells of growth only where another kernel is open, and always asks', async () => {
  const [first, heard] = open();
  first.broadcast(GROWN);
  first.broadcast(ASKED);
  await expect.poll(() => told).toEqual(['opened', 'asked']);
  const [second, heardLater] = open();
  await expect.poll(() => told).toEqual(['opened', 'asked', 'opened', 'here']);
  first.broadcast(GROWN);
  second.broadcast(GROWN);
  await expect.poll(() => [heard, heardLater]).toEqual([[GROWN], [GROWN]]);
});

test('a kernel that has left broadcasts to nobody, and its late message is no error', async () => {
  const [leaving] = open();
  const [, heard] = open();
  await expect.poll(() => told).toContain('here');
  leaving.broadcast(GROWN);
  await expect.poll(() => heard).toEqual([GROWN]);
  leaving.close();
  expect(() => leaving.broadcast({ ...GROWN, run_id: 'b' })).not.toThrow();
  const [late] = open();
  await expect.poll(() => told.at(-1)).toBe('here');
  late.broadcast({ ...GROWN, run_id: 'c' });
  await expect.poll(() => heard).toEqual([GROWN, { ...GROWN, run_id: 'c' }]);
});
