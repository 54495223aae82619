import { openSandboxes } from '../../web/sandboxes.ts';
import { portOf } from '../../workers/lock/realm-port.ts';
import type { SandboxHost } from '../../workers/sandbox/page.ts';

interface Said {
  readonly rows?: unknown;
  readonly section?: string;
  readonly failed?: string;
}

type Report = (rows: unknown, section: string) => Promise<void>;

/** Starts the worker that measures, and reports its rows until it is done. */
async function measure(wanted: readonly string[], report: Report): Promise<void> {
  const wasm = await (await fetch('/quickjs.wasm')).arrayBuffer();
  const worker = new Worker('/worker.js', { type: 'module' });
  const { spawn, kill, ended } = openSandboxes({ bytes: async () => wasm }, '/sandbox.js');
  const scripts = () => Promise.reject(new Error('no schema is registered here'));
  const port = portOf<SandboxHost>({ spawn, kill, ended, scripts });
  await new Promise((resolve, reject) => {
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.onmessage = async ({ data }: MessageEvent<Said>) => {
      if (data.rows !== undefined) await report(data.rows, data.section ?? '');
      else if (data.failed !== undefined) reject(new Error(data.failed));
      else resolve(undefined);
    };
    worker.postMessage({ wasm: new Uint8Array(wasm), wanted, page: port }, [port]);
  });
}

/** Measures without a driver: the sections stand in the address, and messages go to the server. */
async function measureAlone(wanted: readonly string[]): Promise<void> {
  const tell = async (said: object) => void (await fetch('/said', { method: 'POST', body: JSON.stringify(said) }));
  await tell({ agent: navigator.userAgent });
  const failure = await measure(wanted, (rows, section) => tell({ rows, section })).then(
    () => undefined,
    (error: unknown) => String(error),
  );
  await tell(failure === undefined ? { done: true } : { failed: failure });
}

Object.assign(globalThis, { measure });
if (location.hash !== '') void measureAlone(location.hash.slice(1).split(','));
