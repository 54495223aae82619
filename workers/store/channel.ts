import { ORIGIN } from './origin.ts';

/** A channel to the other kernels of this origin. Any script of the origin can send over it. */
interface Channel {
  /** Behind `close` the data reaches nobody: a kernel may still store records when it has left. */
  send(data: unknown): void;
  onMessage(listener: (data: unknown) => void): void;
  close(): void;
}

/** Opens a channel; undefined where the browser has none. */
export function openChannel(name: string): Channel | undefined {
  if (ORIGIN.BroadcastChannel === undefined) return undefined;
  const channel = new ORIGIN.BroadcastChannel(name);
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
