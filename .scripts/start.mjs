// `npm start`: installs missing packages, builds the playground and serves it under the lock.
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { ROOT, ready, wireit } from './steps.mjs';

const { values } = parseArgs({ options: { port: { type: 'string', default: '5180' } }, strict: true });

ready();
console.log('Building the playground …');
if ((await wireit('site')) !== 0) process.exit(1);

const { preview } = await import('vite');
// Not strict: when the port is taken, the next free port is used.
const server = await preview({
  root: ROOT,
  logLevel: 'warn',
  preview: { port: Number(values.port), strictPort: false },
});
const address = server.resolvedUrls?.local[0] ?? '';
console.log(`Sallyport is at ${address}  (Ctrl+C ends it)`);
if (process.stdout.isTTY && process.env.CI === undefined) open(address);

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
  process.once(signal, () => {
    void server.close().finally(() => process.exit(0));
  });
}

/** Shows the page where there is somewhere to show it; a machine without a browser has the address.
 * @param {string} url */
function open(url) {
  const [command, args] =
    process.platform === 'darwin'
      ? ['open', [url]]
      : process.platform === 'win32'
        ? ['cmd', ['/c', 'start', '', url]]
        : ['xdg-open', [url]];
  if (process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) return;
  const child = spawn(command, args, { stdio: 'ignore', detached: true });
  child.once('error', () => {});
  child.unref();
}
