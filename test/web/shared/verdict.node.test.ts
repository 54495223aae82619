import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  formatHtml,
  type HeldAgainst,
  parseExport,
  type Report,
  type ReportVerdict,
  sentenceOf,
  type VerdictSentence,
  type VerdictState,
  verdictOf,
} from '../../../core/index.ts';
import { openAudit } from '../../../web/playground/audit/audit.ts';
import { reportedRun } from '../../../web/playground/files/reported-run.ts';
import { openFile, type RunSession, readRun } from '../../../web/playground/run/session.ts';
import { formatReport } from '../../../web/playground/send/report.ts';
import { spokenVerdict } from '../../../web/shared/verdict.ts';
import { auditView } from '../../../web/texts/en/audit-view.ts';
import { number } from '../../../web/texts/intl.ts';
import { pageParts } from '../../../web/verifier/page.ts';
import type { Runtime } from '../../../workers/api.ts';
import { type Command, runCommand, type Terminal } from '../../../workers/node/command/command.ts';
import { fsck } from '../../../workers/node/command/fsck.ts';
import { verify } from '../../../workers/node/command/verify.ts';
import { fromScript } from '../../../workers/node.ts';
import { openRuntime } from '../../runtime/shared.ts';
import { localFiles } from '../playground/files/local-files.ts';
import { spoken } from '../texts/spoken.ts';

/** The sentence of each state over the run of this file, and what it is told of the heads. */
const STATES: { readonly [S in VerdictState]: { readonly says: string; readonly compared: RegExp | undefined } } = {
  altered: { says: 'Not intact: first problem at record 0 of 6.', compared: undefined },
  unknown_origin: {
    says: 'No check failed over 6 records. Its origin is unknown: no head from elsewhere was given.',
    compared: undefined,
  },
  own_store: {
    says: 'No check failed over 6 records, and its own store has the same head. No head from elsewhere was given.',
    compared: /^Compared with the head in the store that the run came from\.$/,
  },
  unsigned_checkpoint: {
    says: 'No check failed over 6 records, and the checkpoint that was given has its head. No key was given to check that checkpoint.',
    compared: /^Compared with a checkpoint of \S+ at \d+ records\. Its signature was not checked\.$/,
  },
  kept_elsewhere: {
    says: 'No check failed over 6 records, and the head is the one that was kept elsewhere.',
    compared: /^Compared with a head that was given by hand: 6:[0-9a-f]{64}$/,
  },
};
const TONES = {
  altered: 'bad',
  unknown_origin: 'wait',
  own_store: 'own',
  unsigned_checkpoint: 'wait',
  kept_elsewhere: 'good',
} as const;

const folder = mkdtempSync(join(tmpdir(), 'verdict-'));
let runtime: Runtime;
let id = '';
let text = '';
let head = '';
let checkpoint = '';

beforeAll(async () => {
  runtime = await openRuntime({ store: { directory: join(folder, 'ledger') } });
  const model = fromScript([{ done: true, message: 'Said.' }]);
  const run = runtime.start({ dialect: 'xct', task: 'Say it.', model });
  head = `6:${(await run.result).head}`;
  id = run.id;
  text = await runtime.ledger.export(id);
  checkpoint = (await runtime.ledger.checkpoint()).text;
});
afterAll(async () => {
  await runtime?.close();
  rmSync(folder, { recursive: true });
});

const altered = (): string => text.replace('"model":"script"', '"model":"screed"');

/** The sentence that a surface shows, its colour, and its lines about the heads. */
interface Shown {
  readonly says: string;
  readonly tone: string;
  readonly compared: readonly string[];
}

type Surface = { readonly [S in VerdictState]?: () => Promise<Shown> };

async function ofSession(session: RunSession | undefined): Promise<Shown> {
  await session?.verify();
  return shownBy(session?.report.value as Report, {});
}

function shownBy(report: Report, held: HeldAgainst): Shown {
  const { tone, sentence: says, compared } = spokenVerdict(report, held);
  return { says, tone, compared };
}

const fileOf = (jsonl: string): File => new File([jsonl], 'a.run.jsonl');

async function audited(open: (audit: ReturnType<typeof openAudit>) => Promise<void>) {
  const audit = openAudit(runtime, localFiles());
  await open(audit);
  await expect.poll(() => audit.working.value).toBeUndefined();
  return audit;
}

type Opened = (audit: ReturnType<typeof openAudit>) => Promise<void>;
const OPENED: { readonly [S in VerdictState]: Opened } = {
  altered: (audit) => audit.openFile(fileOf(altered())),
  unknown_origin: (audit) => audit.openFile(fileOf(text)),
  own_store: (audit) => audit.openRun(id),
  unsigned_checkpoint: async (audit) => {
    await audit.openRun(id);
    audit.anchorText.value = checkpoint;
  },
  kept_elsewhere: async (audit) => {
    await audit.openRun(id);
    audit.anchorText.value = head;
  },
};

function forStates(show: (open: Opened) => Promise<Shown>): Surface {
  return Object.fromEntries(Object.entries(OPENED).map(([state, open]) => [state, () => show(open)]));
}

/** The report of Send is made with the heads of Audit. */
async function inReport(open: Opened): Promise<Shown> {
  const audit = await audited(open);
  const against = audit.against.value;
  const text = await audit.text();
  const html = formatReport(reportedRun(parseExport(text)), await runtime.ledger.check(text, against), against);
  const [, tone = '', says = '', rest = ''] =
    /<p class="(\w+)"><strong>([^<]*)<\/strong><\/p>\n([^\n]*)\n<ul class="checks">/.exec(html) ?? [];
  return { says, tone, compared: Array.from(rest.matchAll(/>([^<]+)</g), ([, told = '']) => told) };
}

/** What a saved page draws, and draws again when a head is typed. */
async function onPage(jsonl: string, typed?: string): Promise<Shown> {
  const page = formatHtml(gzipSync(jsonl), pageParts());
  const [, script = ''] = /<script>([\s\S]*?)<\/script>/.exec(page) ?? [];
  const { made, document } = fakeDocument(page);
  const platform = { Blob, ReadableStream, DecompressionStream, setTimeout, performance };
  runInNewContext(script, { document, atob, btoa, TextDecoder, TextEncoder, Uint8Array, ...platform });
  const headings = (): number => made.filter(({ name }) => name === 'h1').length;
  // the first heading says that the checks are made
  await expect.poll(() => made.some(({ name }) => name === 'textarea')).toBe(true);
  if (typed !== undefined) {
    const before = headings();
    const input = made.find(({ name }) => name === 'textarea');
    Object.assign(input ?? {}, { value: typed });
    input?.type?.();
    await expect.poll(headings).toBeGreaterThan(before);
  }
  const heading = made.findLast(({ name }) => name === 'h1');
  const compared = made
    .slice(made.indexOf(heading as Made))
    .flatMap(({ name, textContent = '' }) => (name === 'p' && textContent.startsWith('Compared') ? [textContent] : []));
  return { says: heading?.textContent ?? '', tone: heading?.className ?? '', compared };
}

interface Made {
  readonly name: string;
  readonly textContent?: string;
  readonly className?: string;
  readonly type?: () => void;
}

/** As much of a document as the script of a saved page needs. */
function fakeDocument(page: string) {
  const made: Made[] = [];
  const createElement = (name: string) => {
    const element = {
      name,
      value: '',
      append: () => undefined,
      replaceChildren: () => undefined,
      addEventListener: (_: string, type: () => void) => void Object.assign(element, { type }),
    };
    made.push(element);
    return element;
  };
  const outerHTML = /<script type="text\/plain" id="export"[\s\S]*?<\/script>/.exec(page)?.[0] ?? '';
  const document = {
    createElement,
    documentElement: {},
    getElementById: () => ({ outerHTML }),
    querySelector: () => ({ append: () => undefined }),
  };
  return { made, document };
}

/** What a command prints, and its exit code. */
async function printed(command: Command, words: readonly string[]) {
  const lines: string[] = [];
  const terminal = {
    color: true,
    print: (line: string) => void lines.push(...line.split('\n')),
    printJson: () => undefined,
    complain: (line: string) => void lines.push(line),
    read: async () => new TextEncoder().encode(words.includes('altered.jsonl') ? altered() : text),
  } satisfies Terminal;
  return { code: await runCommand(command, words, terminal), lines };
}

const PAINTED = { 31: 'bad', 32: 'good', 33: 'wait', 36: 'own' } as const;

async function onTerminal(words: readonly string[]): Promise<Shown & { readonly code: number }> {
  const { code, lines } = await printed(verify, words);
  const at = lines.findIndex((_, nth) => nth > 0 && lines[nth - 1] === '');
  const [, paint = '', says = ''] = /^\u001b\[(\d+)m(.*)\u001b\[0m$/.exec(lines[at] ?? '') ?? [];
  const compared = lines.flatMap((line) => /Compared[^\u001b]*/.exec(line) ?? []);
  return { says, tone: PAINTED[Number(paint) as keyof typeof PAINTED], compared, code };
}

/** Each surface with the states that a run can have there: a file and a saved page are in no store. */
const SURFACES: { readonly [surface: string]: Surface } = {
  'the Run panel': {
    altered: async () => ofSession(await openFile(runtime, localFiles(), fileOf(altered()))),
    unknown_origin: async () => ofSession(await openFile(runtime, localFiles(), fileOf(text))),
    own_store: async () => ofSession(await readRun(runtime, id)),
  },
  'Audit, and Send': forStates(async (open) => {
    const audit = await audited(open);
    return shownBy(audit.report.value as Report, audit.against.value);
  }),
  'a report': forStates(inReport),
  'a saved page': {
    altered: () => onPage(altered()),
    unknown_origin: () => onPage(text),
    unsigned_checkpoint: () => onPage(text, checkpoint),
    kept_elsewhere: () => onPage(text, head),
  },
  'the command': {
    altered: () => onTerminal(['altered.jsonl']),
    unknown_origin: () => onTerminal(['a.jsonl']),
    unsigned_checkpoint: () => onTerminal(['a.jsonl', '--anchor', checkpoint]),
    kept_elsewhere: () => onTerminal(['a.jsonl', '--anchor', head]),
  },
};

const CASES = Object.entries(SURFACES).flatMap(([surface, states]) =>
  (Object.keys(STATES) as VerdictState[]).flatMap((state) => {
    const show = states[state];
    return show === undefined ? [] : [[state, surface, show] as const];
  }),
);

describe('the verdict on a run', () => {
  it.each(CASES)('a run that is %s has the same sentence and colour everywhere: %s', async (state, _, show) => {
    spoken('en');
    const { says, tone, compared } = await show();
    expect([says, tone]).toEqual([STATES[state].says, TONES[state]]);
    const { compared: told } = STATES[state];
    if (told === undefined) expect(compared).toEqual([]);
    else expect(compared).toEqual([expect.stringMatching(told)]);
  });

  it('the exit code of the command follows the verdict', async () => {
    const code = async (...words: readonly string[]) => (await onTerminal(words)).code;
    expect([await code('a.jsonl'), await code('a.jsonl', '--anchor', head)]).toEqual([0, 0]);
    expect([await code('altered.jsonl'), await code('a.jsonl', '--anchor', `6:${'0'.repeat(64)}`)]).toEqual([1, 1]);
  });

  it('fsck marks each run as compared with the head of its own store', async () => {
    const { lines, code } = await printed(fsck, [join(folder, 'ledger')]);
    expect([code, lines.find((line) => line.includes(id))]).toEqual([0, `\u001b[36m=\u001b[0m ${id}  6 records`]);
  });

  it('a run that its own ledger verifies has no anchor, and the reason', async () => {
    const { checks } = await runtime.ledger.verify(id);
    expect(checks.find(({ id: check }) => check === 'anchor')).toMatchObject({
      status: 'not_run',
      skipped: { first: { code: 'anchor_of_store' } },
    });
  });

  it('a run of a store with another head under its id is altered', async () => {
    const stored = { records: 6, head: '0'.repeat(64) };
    const report = await runtime.ledger.check(text, { stored });
    expect(verdictOf(report)).toMatchObject({ state: 'altered', exit: 1, sentence: { kind: 'other_stored' } });
    expect(report.checks.find(({ id: check }) => check === 'anchor')?.first?.code).toBe('store_disagrees');
    const more = await runtime.ledger.check(text, { stored: { ...stored, records: 7 } });
    expect(verdictOf(more).state).toBe('altered');
  });

  it('a head that was given outweighs the head of the own store', async () => {
    const stored = { records: 6, head: head.slice(2) };
    const held = { anchor: head, stored };
    expect(verdictOf(await runtime.ledger.check(text, held), held)).toMatchObject({
      state: 'kept_elsewhere',
      compared: [{ from: 'given', head }],
    });
    const other = { anchor: `6:${'0'.repeat(64)}`, stored };
    expect(verdictOf(await runtime.ledger.check(text, other)).sentence).toEqual({ kind: 'other_run' });
  });

  it('a checkpoint is named with its origin, and with the key that had to have signed it', async () => {
    const { text: anchor, origin, size, key = '' } = await runtime.ledger.checkpoint();
    const of = async (held: HeldAgainst) => verdictOf(await runtime.ledger.check(text, held), held);
    expect(await of({ anchor })).toMatchObject({
      state: 'unsigned_checkpoint',
      compared: [{ from: 'checkpoint', origin, size }],
    });
    const signed = await of({ anchor, key });
    expect(signed.compared).toEqual([{ from: 'checkpoint', origin, size, key: key.split('+')[0] }]);
    expect((await of({ anchor, key })).state).toBe('kept_elsewhere');
  });

  it('a failed check that is not known here fails, with and without a finding', () => {
    const checks = [{ id: 'clock', status: 'fail', count: 1 }] as unknown as Report['checks'];
    const report = { ok: false, checks, records: 6, head: head.slice(2), root: '' };
    expect(verdictOf(report)).toMatchObject({ state: 'altered', tone: 'bad', exit: 1 });
    expect(verdictOf({ ...report, checks: [] })).toMatchObject({ state: 'altered', exit: 1 });
    expect(verdictOf({ ...report, ok: true })).toMatchObject({ state: 'altered', exit: 1 });
  });
});

const ORIGINS = ['unknown_origin', 'own_store', 'unsigned_checkpoint', 'kept_elsewhere'] as const;
const SENTENCES: readonly VerdictSentence[] = [
  ...[0, 1, 1200].flatMap((records) =>
    ORIGINS.flatMap((origin) =>
      [true, false].map((undecided): VerdictSentence => ({ kind: 'consistent', records, origin, undecided })),
    ),
  ),
  ...(['anchor_unread', 'other_run', 'other_stored', 'no_export'] as const).map((kind) => ({ kind })),
  { kind: 'cut', records: 0 },
  { kind: 'cut', records: 3 },
  { kind: 'differs', place: 4 },
  { kind: 'does_not_follow', place: 4 },
  { kind: 'not_intact', place: 4, records: 1200 },
];

it.each(SENTENCES)('the sentence of %j is whole in each language', (sentence) => {
  const said = (language: 'en' | 'de'): string => {
    spoken(language);
    return sentenceOf({ sentence } as ReportVerdict, auditView().verdicts, number);
  };
  const [english, german] = [said('en'), said('de')];
  for (const text of [english, german]) expect(text).toMatch(/^\p{Lu}[^{}]*\.$/u);
  expect(german).not.toBe(english);
  if (JSON.stringify(sentence).includes('1200')) expect([english, german].join()).toMatch(/1,200.*1\.200/);
});
