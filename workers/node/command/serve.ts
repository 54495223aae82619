import { realpath, stat } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { visibleLine } from '../../../core/text/visible.ts';
import { type Command, type CommandCall, EXIT, UsageError } from './command.ts';
import { type PackageMount, siteServer } from './site.ts';

export const serve: Command = {
  name: 'serve',
  summary: 'Serves the playground, or a folder, with the headers that lock the kernel.',
  operands: '[FOLDER]',
  options: {
    package: { value: 'PATH', help: 'Serves the files of this package, too, below this path.' },
    retire: { help: 'Answers service-worker.js with a worker that removes itself and the files that it kept.' },
    port: { value: 'N', help: 'Port on this machine; 5180 where it is absent, any free one for 0.' },
  },
  examples: [
    'sallyport serve',
    'sallyport serve dist --port 8080',
    'sallyport serve site --package sallyport',
    'sallyport serve site --retire',
  ],
  run,
};

async function run({ operands, options, json, terminal }: CommandCall): Promise<number> {
  const port = portOf(options['port']);
  const home = await realpath(fileURLToPath(new URL('.', import.meta.url)));
  const folder = await realpath(operands[0] ?? home).catch(() => {
    throw new UsageError(`${operands[0]} cannot be read`);
  });
  if (!(await stat(folder)).isDirectory()) throw new UsageError(`${operands[0]} is not a folder`);
  const server = siteServer(folder, mountOf(options['package'], home), options['retire'] === true);
  // The server listens on this machine only; to publish the files, a person uses a real host.
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve)).catch(
    (error: unknown) => {
      throw new UsageError(`Port ${port} cannot be used (${(error as { code?: string }).code ?? 'unknown'})`);
    },
  );
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  if (json) terminal.printJson({ address, folder });
  else terminal.print(visibleLine(`Serving ${folder} at ${address}  (Ctrl+C ends it)`));
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve);
  });
  server.closeAllConnections();
  server.close();
  return EXIT.ok;
}

function mountOf(given: string | boolean | undefined, folder: string): PackageMount | undefined {
  if (typeof given !== 'string') return undefined;
  const path = given.replace(/^\/|\/$/g, '');
  if (/^[\w-]+(\/[\w-]+)*$/.test(path)) return { path: `/${path}/`, folder };
  throw new UsageError('--package takes a path of letters, digits and hyphens, as in sallyport');
}

function portOf(given: string | boolean | undefined): number {
  const port = Number(given ?? 5180);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw new UsageError('--port takes a number from 0 to 65535');
}
