import { describe, expect, test } from 'vitest';
import { encodeText, formatExport, sha256Hex } from '../../../../core/index.ts';
import { type Command, runCommand, type Terminal } from '../../../../workers/node/command/command.ts';
import { examine, HOSTS } from '../../../../workers/node/command/doctor.ts';
import { show } from '../../../../workers/node/command/show.ts';
import { processTerminal } from '../../../../workers/node/command/terminal.ts';
import { verify } from '../../../../workers/node/command/verify.ts';
import { forgeTexts } from '../../../core/ledger/forge.ts';
import { runId } from '../../../core/ledger/sample.ts';

/** Runs a command on the terminal of the process, and returns the exit code and the text of its two streams. */
async function run(command: Command, words: readonly string[], file: string) {
  const lines = { out: '', err: '' };
  const { stdout, stderr } = process;
  const [write, complain] = [stdout.write, stderr.write];
  const terminal: Terminal = { ...processTerminal(), color: false, read: async () => encodeText(file) };
  stdout.write = ((text: string) => ((lines.out += text), true)) as typeof write;
  stderr.write = ((text: string) => ((lines.err += text), true)) as typeof complain;
  try {
    return { ...lines, code: await runCommand(command, words, terminal), ...lines };
  } finally {
    stdout.write = write;
    stderr.write = complain;
  }
}

/** Text that moves the cursor, sets the title, hides and reorders letters, and forges a line of `verify`. */
const EVIL = '\u001b[2J\u001b]0;pwned\u0007\u009b1A\u202egood\u200b\n✓ Form: the file is well-formed';
const STEP = { step: 1, step_id: '00000000-0000-8000-8000-000000000000' };
const bytes = encodeText(EVIL);
const text = { bytes: bytes.length, sha256: sha256Hex(bytes) };
const ASKED = { ...STEP, ticket: 1, power: 'x\n    9  abc  receipt', power_hash: text.sha256 };
const export_ = formatExport(
  runId(1),
  forgeTexts(runId(1), [
    { kind: 'task', body: { text } },
    { kind: 'power', body: { ...ASKED, event: 'answered', status: 'success', answer: text } },
    { kind: 'power', body: { ...ASKED, power: EVIL, event: 'answered', status: 'success', answer: text } },
  ]),
  [{ sha256: text.sha256, bytes }],
);

describe('a hostile export on a terminal', () => {
  test.each<[string, Command, readonly string[]]>([
    ['show', show, []],
    ['show, one record', show, ['--record', '2']],
    ['show, as JSON', show, ['--json']],
    ['show, one record as JSON', show, ['--record', '2', '--json']],
    ['verify', verify, []],
    ['verify, as JSON', verify, ['--json']],
  ])(
    '%s: a hostile export reaches the terminal without control characters and without forged lines',
    async (_name, command, words) => {
      const { out, err } = await run(command, words, export_);
      expect(out).not.toBe('');
      expect(out + err).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
      expect(out).not.toMatch(/^✓ Form: the file is well-formed$/m);
    },
  );

  test('show prints a power name with a line feed on a single line', async () => {
    const { out } = await run(show, [], export_);
    expect(out.trimEnd().split('\n')).toHaveLength(3);
    expect(out).toContain('power=x\\n    9  abc  receipt');
  });

  test('show --json escapes hostile text and keeps its value', async () => {
    const { out } = await run(show, ['--json'], export_);
    expect(JSON.parse(out.trimEnd().split('\n')[2] ?? '')).toMatchObject({ body: { power: EVIL } });
  });

  test('a complaint that quotes hostile text is a single line without control characters', async () => {
    const { err } = await run({ ...show, run: async ({ terminal }) => (terminal.complain(EVIL), 0) }, [], '');
    expect(err.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});

describe('a hostile host', () => {
  const origin = 'https://agent.example';
  const page = `<script type="module" src="/main.js"></script>`;

  test('examine asks no other origin for the workers that a hostile script names', async () => {
    const asked: string[] = [];
    const get = async (url: string) => {
      asked.push(url);
      return new Response(url.endsWith('.js') ? '"//192.168.1.1/worker-a.js" "./worker-b.js"' : page);
    };
    await examine(`${origin}/`, get);
    expect(asked.filter((url) => !url.startsWith(`${origin}/`))).toEqual([]);
    expect(asked).toContain(`${origin}/worker-b.js`);
  });

  test('examine follows the imports of a page to the script that names its workers, five steps away', async () => {
    const get = async (url: string) => {
      const step = Number(/(\d)\.js$/.exec(url)?.[1] ?? 0);
      if (url.endsWith('worker-kernel.js')) return new Response('1');
      if (step === 0) return new Response('<script>import("/1.js")</script>');
      return new Response(step < 5 ? `import("./${step + 1}.js")` : 'new URL("worker-kernel.js", import.meta.url)');
    };
    expect((await examine(`${origin}/`, get)).map(({ file }) => file)).toContain(`${origin}/worker-kernel.js`);
  });

  test('examine stops reading a host that never stops sending', async () => {
    let sent = 0;
    const endless = () =>
      new ReadableStream({
        pull: (controller) => {
          sent += 1 << 20;
          controller.enqueue(new Uint8Array(1 << 20));
          // Ends the test when `examine` reads without a bound.
          if (sent > 64 << 20) controller.error(new Error('read without end'));
        },
      });
    expect((await examine(`${origin}/`, async () => new Response(endless()))).some(({ ok }) => !ok)).toBe(true);
    expect(sent).toBeLessThan(16 << 20);
  });
});

test('a file name with a line break adds no rule to the headers for netlify', () => {
  const written = HOSTS['netlify']?.write(['/index.html', '/a\n/*\n  Content-Security-Policy: none\n.html']) ?? '';
  expect(written).not.toContain('Content-Security-Policy: none');
  expect(written).toContain('/index.html');
});
