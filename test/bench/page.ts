import { expose } from 'comlink';
import { openSandboxes } from '../../web/sandboxes.ts';

/** Functions of its page that the measuring worker may call, as a kernel may. */
export type Spawning = Pick<ReturnType<typeof openSandboxes>, 'spawn' | 'kill'>;

interface Said {
  readonly rows?: unknown;
  readonly failed?: string;
}

/** Starts the worker that measures, and reports its rows until it is done. */
async function measure(wanted: readonly string[], report: (rows: unknown) => Promise<void>): Promise<void> {
  const wasm = await (await fetch('/quickjs.wasm')).arrayBuffer();
  const worker = new Worker('/worker.js', { type: 'module' });
  const { port1, port2 } = new MessageChannel();
  const { spawn, kill } = openSandboxes(wasm, '/sandbox.js');
  expose({ spawn, kill } satisfies Spawning, port1);
  await new Promise((resolve, reject) => {
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.onmessage = async ({ data }: MessageEvent<Said>) => {
      if (data.rows !== undefined) await report(data.rows);
      else if (data.failed !== undefined) reject(new Error(data.failed));
      else resolve(undefined);
    };
    worker.postMessage({ wasm: new Uint8Array(wasm), wanted, page: port2 }, [port2]);
  });
}

Object.assign(globalThis, { measure });
