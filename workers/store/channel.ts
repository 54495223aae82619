import { ORIGIN } from './origin.ts';

/** A channel to the other kernels of this origin. Any script of the origin can send over it. */
interface Channel {
  /** Behind `close` the data reaches nobody: a kernel may still store records when it has left. */
  send(data: unknown): void;
  onMessage(listener: (data: unknown) => void): void;
  close(): void;
}

/** Opens a channel; undefined where the browser has none, or denies it to the page together with all storage. */
export function openChannel(name: string): Channel | undefined {
  const channel = construct(name);
  if (channel === undefined) return undefined;
  let isOpen = true;
  return {
    send: (data) => {
      if (isOpen) channel.postMessage(data);
    },
    onMessage: (listener) => {
      channel.onmessage = ({ data }: MessageEvent<unknown>) => listener(data);
    },
    close: () => {
      isOpen = false;
      channel.close();
    },
  };
}

/** Firefox throws `SecurityError` where a person lets no site keep data. */
function construct(name: string): BroadcastChannel | undefined {
  try {
    return ORIGIN.BroadcastChannel && new ORIGIN.BroadcastChannel(name);
  } catch {
    return undefined;
  }
}
