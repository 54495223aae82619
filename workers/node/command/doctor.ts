import { readdir } from 'node:fs/promises';
import { type Command, type CommandCall, EXIT, UsageError } from './command.ts';
import { examine, type HostFinding } from './examine.ts';
import { HOSTS } from './hosts.ts';
import { painter } from './terminal.ts';

export const doctor: Command = {
  name: 'doctor',
  summary: 'Looks whether a host sends the headers that lock the kernel, or writes its configuration.',
  operands: '[URL | FOLDER]',
  options: {
    for: { value: 'HOST', help: `Write the configuration of ${Object.keys(HOSTS).join(', ')}.` },
  },
  examples: [
    'sallyport doctor https://example.com/agent/',
    'sallyport doctor --for netlify dist > dist/_headers',
    'sallyport doctor --for nginx',
  ],
  run: (call) => (typeof call.options['for'] === 'string' ? configure(call, call.options['for']) : look(call)),
};

async function look({ operands, json, terminal }: CommandCall): Promise<number> {
  const [address = ''] = operands;
  if (!/^https?:\/\//.test(address) || !URL.canParse(address))
    throw new UsageError('doctor takes the URL of a page, as in https://example.com/');
  const findings = await examine(address).catch((error: unknown) => {
    throw new UsageError(unreachable(address, error));
  });
  const ok = findings.every((finding) => finding.ok);
  if (json) terminal.printJson({ ok, findings });
  else {
    const paint = painter(terminal);
    for (const finding of findings) terminal.print(line(finding, paint));
    if (!ok) terminal.print(paint('soft', 'What to send: sallyport doctor --for HOST writes it.'));
  }
  return ok ? EXIT.ok : EXIT.tampered;
}

/** Text for a request that failed. Node's own message is "fetch failed"; the reason is in the cause. */
function unreachable(address: string, error: unknown): string {
  const { name, message, cause } = error as Error & { readonly cause?: { readonly code?: string; message?: string } };
  if (name === 'TimeoutError') return `${address} cannot be reached (no answer in time)`;
  return cause === undefined ? message : `${address} cannot be reached (${cause.code ?? cause.message ?? 'unknown'})`;
}

function line({ ok, file, what }: HostFinding, paint: ReturnType<typeof painter>): string {
  return `${ok ? paint('good', '✓') : paint('bad', '✕')} ${paint('soft', file)} ${what}`;
}

async function configure({ operands, json, terminal }: CommandCall, name: string): Promise<number> {
  const host = Object.hasOwn(HOSTS, name) ? HOSTS[name] : undefined;
  if (host === undefined) throw new UsageError(`--for takes one of ${Object.keys(HOSTS).join(', ')}`);
  const text = host.write(await filesIn(operands[0]));
  if (json) terminal.printJson({ host: name, file: host.file, text });
  else terminal.print(text.trimEnd());
  return EXIT.ok;
}

async function filesIn(folder: string | undefined): Promise<readonly string[]> {
  if (folder === undefined) {
    const workers = ['auditor', 'kernel', 'sandbox'].map((name) => `/worker-${name}.js`);
    return ['/index.html', '/service-worker.js', ...workers];
  }
  const found = await readdir(folder, { recursive: true }).catch(() => {
    throw new UsageError(`${folder} cannot be read`);
  });
  return found.map((file) => `/${file.replaceAll('\\', '/')}`).sort();
}
