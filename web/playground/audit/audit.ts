import { batch, computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import {
  type Anchor,
  exportIn,
  isWhole,
  parseCheckpoint,
  parseExport,
  type Report,
  verifyExport,
} from '../../../core/index.ts';
import type { Runtime } from '../../../workers/api.ts';
import { sentenceOf } from '../../shared/error-text.ts';
import { saveFile } from '../parts/save-file.ts';
import { type HashUse, hashesIn } from './hash-uses.ts';
import type { Tampering } from './tampering.ts';

/** A larger file is refused before it is read: verifying is linear, but a page is not the place for it. */
const FILE_MAX: number = 64 << 20;

export type LinkState = 'intact' | 'altered' | 'unproven';

/** An export under examination: the text as it came, a copy that may be falsified, and the report of the checks. */
export interface Audit {
  readonly name: ReadonlySignal<string | undefined>;
  readonly original: ReadonlySignal<string>;
  readonly text: ReadonlySignal<string>;
  readonly anchorText: Signal<string>;
  /** The checks of the file alone come at once; decisions and replay come after them. */
  readonly report: ReadonlySignal<Report | undefined>;
  /** Checks that are under way. */
  readonly working: ReadonlySignal<'decisions' | 'replay' | undefined>;
  /** The text of the search: a hash, or its beginning. */
  readonly sought: Signal<string>;
  readonly found: ReadonlySignal<readonly HashUse[]>;
  readonly standings: ReadonlySignal<readonly LinkState[]>;
  readonly seq: Signal<number>;
  readonly edits: ReadonlySignal<number>;
  /** The latest falsification of the copy, if there is one. */
  readonly last: ReadonlySignal<Tampering | undefined>;
  readonly trouble: ReadonlySignal<string | undefined>;
  /** The file as it stands, as a page that checks itself. */
  savePage(): Promise<void>;
  openRun(id: string): Promise<void>;
  /** Examines an export; a checkpoint becomes the anchor of the open export. */
  openFile(file: File): Promise<void>;
  /** Saves the log's current checkpoint, to be kept outside this device. */
  saveCheckpoint(): Promise<void>;
  tamper(tampering: Tampering): void;
  undo(): void;
  /** Runs the file again, as it stands. */
  replay(): Promise<void>;
  close(): void;
}

interface Copy {
  readonly text: string;
  readonly by?: Tampering;
}

export function openAudit(runtime: Runtime): Audit {
  const name = signal<string | undefined>(undefined);
  const copies = signal<readonly Copy[]>([]);
  const anchorText = signal('');
  const seq = signal(0);
  const trouble = signal<string | undefined>(undefined);
  const text = computed(() => copies.value.at(-1)?.text ?? '');
  const anchor = computed(() => anchorIn(anchorText.value));
  const inside = computed(() => (text.value === '' ? undefined : verifyExport(text.value, anchor.value)));
  const again = signal<Examination | undefined>(undefined);
  const working = signal<'decisions' | 'replay' | undefined>(undefined);
  const sought = signal('');
  const index = computed(() => (sought.value.trim() === '' ? [] : hashesIn(text.value)));

  /** A result for a text or an anchor that has changed meanwhile is dropped. */
  const examine = async (replay: boolean): Promise<void> => {
    const base = inside.peek();
    if (base === undefined || !isWhole(base)) return;
    working.value = replay ? 'replay' : 'decisions';
    const report = await runtime.ledger.check(text.peek(), { ...anchor.peek(), replay });
    if (inside.peek() !== base) return;
    batch(() => {
      again.value = { base, report };
      working.value = undefined;
    });
  };

  const report = computed(() => (again.value?.base === inside.value ? again.value?.report : inside.value));

  const show = (title: string, opened: string, anchor: string): void =>
    batch(() => {
      name.value = title;
      copies.value = [{ text: opened }];
      anchorText.value = anchor;
      seq.value = 0;
      trouble.value = opened === '' && title !== '' ? 'The file is empty.' : undefined;
    });

  const attempt = async (work: () => Promise<void>): Promise<void> => {
    trouble.value = undefined;
    await work().catch((error: unknown) => {
      trouble.value = sentenceOf(error);
    });
  };

  effect(() => {
    working.value = undefined;
    if (inside.value !== undefined) void attempt(() => examine(false));
  });

  return {
    name,
    original: computed(() => copies.value[0]?.text ?? ''),
    text,
    anchorText,
    report,
    working,
    sought,
    found: computed(() => matching(index.value, sought.value)),
    standings: computed(() => standingsOf(report.value)),
    seq,
    edits: computed(() => Math.max(copies.value.length - 1, 0)),
    last: computed(() => copies.value.at(-1)?.by),
    trouble,
    openRun: (id) =>
      attempt(async () => {
        const row = (await runtime.runs()).find(({ run_id }) => run_id === id);
        show(
          `run ${id.slice(0, 8)}`,
          await runtime.ledger.export(id),
          row === undefined ? '' : `${row.records}:${row.head}`,
        );
      }),
    openFile: (file) =>
      attempt(async () => {
        if (file.size > FILE_MAX)
          throw new Error(
            `Too large: ${file.size.toLocaleString()} bytes, the limit is ${FILE_MAX >> 20} MB. Use the command line.`,
          );
        const opened = exportIn(await file.text());
        if (parseCheckpoint(opened).ok && inside.peek() !== undefined) anchorText.value = opened;
        else if (opened !== '' && parseExport(opened).records.every((line) => line === undefined)) {
          const still = name.peek() === undefined || text.peek() === '' ? '' : ` Below is still ${name.peek()}.`;
          throw new Error(
            `${file.name} holds no record of a run. Open what Export saved, or a page that was saved here.${still}`,
          );
        } else show(file.name, opened, '');
      }),
    tamper: (by) => {
      const falsified = by.apply(text.value, seq.value);
      if (falsified !== text.value) copies.value = [...copies.value, { text: falsified, by }];
    },
    undo: () => {
      copies.value = copies.value.length > 1 ? copies.value.slice(0, -1) : copies.value;
    },
    savePage: () =>
      attempt(async () => {
        const { pageOf } = await import('../../verifier/page.ts');
        saveFile(`${parseExport(text.peek()).run_id?.slice(0, 8) ?? 'run'}.run.html`, pageOf(text.peek()), 'text/html');
      }),
    saveCheckpoint: () =>
      attempt(async () => {
        const { text: taken, size } = await runtime.ledger.checkpoint();
        saveFile(`sallyport-${size}.checkpoint.txt`, taken, 'text/plain');
      }),
    replay: () => attempt(() => examine(true)),
    close: () => show('', '', ''),
  };
}

/** The result of the slow checks, and the report that they add to. */
interface Examination {
  readonly base: Report;
  readonly report: Report;
}

/** A page draws at most this many findings. */
const FOUND_MAX = 50;

function matching(index: readonly HashUse[], sought: string): readonly HashUse[] {
  const prefix = sought
    .trim()
    .toLowerCase()
    .replace(/^sha256:/u, '');
  return prefix === '' ? [] : index.filter(({ hash }) => hash.startsWith(prefix)).slice(0, FOUND_MAX);
}

/** The given anchor is compared or reported as unreadable. It is never treated as absent. */
export function anchorIn(given: string): { readonly anchor?: Anchor } {
  return given.trim() === '' ? {} : { anchor: given };
}

/** The chain holds up to the first problem; the records from there on cannot be relied on. */
function standingsOf(report: Report | undefined): readonly LinkState[] {
  if (report === undefined) return [];
  const bad = firstProblem(report) ?? Infinity;
  return Array.from({ length: report.records }, (_, seq) =>
    seq < bad ? 'intact' : seq === bad ? 'altered' : 'unproven',
  );
}

/** The first record that a check of the file itself names. */
export function firstProblem(report: Report): number | undefined {
  const places = report.checks.flatMap(({ id, first }) =>
    first === undefined || id === 'anchor' ? [] : [first.run_seq],
  );
  return places.length === 0 ? undefined : Math.min(...places);
}
