import { isObject } from '../../core/json/value.ts';
import { openChannel } from './channel.ts';

/** Message between kernels on the same log: a run has grown, or a kernel asks to continue it. */
export interface PeerMessage {
  readonly type: 'grown' | 'asked';
  readonly run_id: string;
}

/**
 * The other kernels on the same log. A message can be lost, and any script of this origin can send it: no decision
 * rests on it.
 */
export interface Peers {
  /** Behind `close` the message reaches nobody. */
  broadcast(message: PeerMessage): void;
  onMessage(listener: (message: PeerMessage) => void): void;
  close(): void;
}

/**
 * Peers of a browser. Each kernel tells when it opens, and the others answer: a kernel that has heard of no other is
 * alone, and tells nobody that its runs have grown.
 */
export function openPeerChannel(name: string): Peers | undefined {
  const channel = openChannel(name);
  if (channel === undefined) return undefined;
  let isAlone = true;
  let hear: (message: PeerMessage) => void = () => undefined;
  channel.onMessage((data) => {
    isAlone = false;
    if (isObject(data) && data.type === 'opened') channel.send({ type: 'here' });
    const message = messageIn(data);
    if (message !== undefined) hear(message);
  });
  channel.send({ type: 'opened' });
  return {
    broadcast: (message) => {
      if (message.type === 'asked' || !isAlone) channel.send(message);
    },
    onMessage: (listener) => {
      hear = listener;
    },
    close: () => channel.close(),
  };
}

/** A message may come from any script in this origin. */
function messageIn(data: unknown): PeerMessage | undefined {
  if (!isObject(data)) return undefined;
  const { type, run_id } = data;
  return (type === 'grown' || type === 'asked') && typeof run_id === 'string' ? { type, run_id } : undefined;
}

/** Makes peers within a process; each call is another peer. */
export function makeLocalPeers(): () => Peers {
  const listeners = new Set<(message: PeerMessage) => void>();
  return () => {
    let own: ((message: PeerMessage) => void) | undefined;
    return {
      broadcast: (message) => {
        for (const listener of listeners) if (listener !== own) listener(message);
      },
      onMessage: (listener) => {
        own = listener;
        listeners.add(listener);
      },
      close: () => void (own && listeners.delete(own)),
    };
  };
}
