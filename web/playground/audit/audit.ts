import { batch, computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import {
  exportIn,
  isWhole,
  parseCheckpoint,
  parseExport,
  type Report,
  type VerifyOptions,
  verifyExport,
} from '../../../core/index.ts';
import type { Runtime } from '../../../workers/api.ts';
import { audit } from '../../texts/en/audit.ts';
import { PageError } from '../parts/page-error.ts';
import { saveFile } from '../parts/save-file.ts';
import { type HashUse, hashesIn } from './hash-uses.ts';
import type { Tampering } from './tampering.ts';

/** A larger file is refused before it is read: verifying is linear, but a page is not the place for it. */
const FILE_MAX: number = 64 << 20;

/** An export under examination: the text as it came, a copy that may be falsified, and the report of the checks. */
export interface Audit extends Omit<FalsifiedFile, 'show'>, Examination {
  /** The head that a person gives. */
  readonly anchorText: Signal<string>;
  /** Heads that the file is compared with: the given head, and the head of a run of this device in its own ledger. */
  readonly against: ReadonlySignal<VerifyOptions>;
  /** The text of the search: a hash, or its beginning. */
  readonly sought: Signal<string>;
  readonly found: ReadonlySignal<readonly HashUse[]>;
  /** Why the last action failed. */
  readonly trouble: ReadonlySignal<unknown>;
  /** The file as it stands, as a page that checks itself. */
  savePage(): Promise<void>;
  openRun(id: string): Promise<void>;
  /** Examines an export; a checkpoint becomes the anchor of the open export. */
  openFile(file: File): Promise<void>;
  /** Examines this text of an export. */
  openText(title: string, text: string): Promise<void>;
  /** Saves the log's current checkpoint, to be kept outside this device. */
  saveCheckpoint(): Promise<void>;
  /** Shows a run that a link brought, and makes none of its decisions before `release`. */
  openLinked(title: string, text: string): void;
  /** The file as it stands; of a run of this device on request with its secret texts. */
  exported(secrets: boolean): Promise<string>;
  close(): void;
}

export function openAudit(runtime: Runtime): Audit {
  const file = openFalsifiedFile();
  const { text } = file;
  const anchorText = signal('');
  /** Head of the open run in the ledger of this device, which its export came from. */
  const stored = signal<VerifyOptions['stored']>(undefined);
  const against = computed(() => ({
    // a text that cannot be read is reported as unreadable, and never taken as absent
    ...(anchorText.value.trim() !== '' && { anchor: anchorText.value }),
    ...(stored.value && { stored: stored.value }),
  }));
  const trouble = signal<unknown>(undefined);
  const held = signal(false);
  /** The run of this device whose export is open. */
  const own = signal<string | undefined>(undefined);
  /** A run of this device is named in the language of the moment. */
  const name = computed(() => (own.value === undefined ? file.name.value : audit().run(own.value.slice(0, 8))));
  const sought = signal('');
  const index = computed(() => (sought.value.trim() === '' ? [] : hashesIn(text.value)));

  const attempt = async (work: () => Promise<void>): Promise<void> => {
    trouble.value = undefined;
    await work().catch((error: unknown) => {
      trouble.value = error;
    });
  };

  const show = (title: string, opened: string, head?: VerifyOptions['stored'], isHeld = false): void =>
    batch(() => {
      held.value = isHeld;
      own.value = undefined;
      file.show(title, opened);
      anchorText.value = '';
      stored.value = head;
      trouble.value = opened === '' && title !== '' ? new PageError(() => audit().empty) : undefined;
    });

  /** A file without a record is refused, and the open file stays. */
  const openText = (title: string, opened: string): void => {
    if (parseCheckpoint(opened).ok && text.peek() !== '') anchorText.value = opened;
    else if (opened !== '' && parseExport(opened).records.every((line) => line === undefined)) {
      throw new PageError(() => {
        const { noRecord, still } = audit();
        const open = name.value;
        return `${noRecord(title)}${open === undefined || text.value === '' ? '' : still(open)}`;
      });
    } else show(title, opened);
  };

  return {
    ...file,
    name,
    ...openExamination({ runtime, text, against, held, attempt }),
    anchorText,
    against,
    sought,
    found: computed(() => matching(index.value, sought.value)),
    trouble,
    openRun: (id) =>
      attempt(async () => {
        const row = (await runtime.runs()).find(({ run_id }) => run_id === id);
        const head = row && { records: row.records, head: row.head };
        show(id, await runtime.ledger.export(id), head);
        own.value = id;
      }),
    openFile: (opened) =>
      attempt(async () => {
        if (opened.size > FILE_MAX) throw new PageError(() => audit().tooLarge(opened.size, FILE_MAX >> 20));
        openText(opened.name, exportIn(await opened.text()));
      }),
    openText: (title, opened) => attempt(async () => openText(title, opened)),
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
    openLinked: (title, opened) => show(title, opened, undefined, true),
    exported: async (secrets) => {
      const id = file.edits.peek() === 0 ? own.peek() : undefined;
      return id !== undefined && secrets ? runtime.ledger.export(id, { secrets }) : text.peek();
    },
    close: () => show('', ''),
  };
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

export type LinkState = 'intact' | 'altered' | 'unproven';

/** The checks of the text as it stands, against the heads as they stand. */
interface Examination {
  /** The checks of the file alone come at once; decisions and replay come after them. */
  readonly report: ReadonlySignal<Report | undefined>;
  /** Checks that are under way. */
  readonly working: ReadonlySignal<'decisions' | 'replay' | undefined>;
  readonly standings: ReadonlySignal<readonly LinkState[]>;
  /** The decisions wait until a person asks for them: a link brought the text. */
  readonly held: ReadonlySignal<boolean>;
  /** Makes the decisions of a held text. */
  release(): void;
  /** Runs the file again, as it stands. */
  replay(): Promise<void>;
}

interface ExaminationFacts {
  readonly runtime: Runtime;
  readonly text: ReadonlySignal<string>;
  readonly against: ReadonlySignal<VerifyOptions>;
  readonly held: Signal<boolean>;
  attempt(work: () => Promise<void>): Promise<void>;
}

/** The result of the slow checks, and the report that they add to. */
interface SlowChecks {
  readonly base: Report;
  readonly report: Report;
}

function openExamination({ runtime, text, against, held, attempt }: ExaminationFacts): Examination {
  const inside = computed(() => (text.value === '' ? undefined : verifyExport(text.value, against.value)));
  const slow = signal<SlowChecks | undefined>(undefined);
  const report = computed(() => (slow.value?.base === inside.value ? slow.value?.report : inside.value));
  const working = signal<'decisions' | 'replay' | undefined>(undefined);

  /** A result for a text or a head that has changed meanwhile is dropped. */
  const examine = async (replay: boolean): Promise<void> => {
    const base = inside.peek();
    if (base === undefined || !isWhole(base)) return;
    working.value = replay ? 'replay' : 'decisions';
    const checked = await runtime.ledger.check(text.peek(), { ...against.peek(), replay });
    if (inside.peek() !== base) return;
    batch(() => {
      slow.value = { base, report: checked };
      working.value = undefined;
    });
  };

  effect(() => {
    working.value = undefined;
    if (inside.value !== undefined && !held.value) void attempt(() => examine(false));
  });

  return {
    report,
    working,
    standings: computed(() => standingsOf(report.value)),
    held,
    release: () => {
      held.value = false;
    },
    replay: () => attempt(() => examine(true)),
  };
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

/** An open file: the text as it came, and a copy that may be falsified step by step. */
interface FalsifiedFile {
  /** Undefined where no file is open. */
  readonly name: ReadonlySignal<string | undefined>;
  readonly original: ReadonlySignal<string>;
  readonly text: ReadonlySignal<string>;
  /** The record that the next falsification is about. */
  readonly seq: Signal<number>;
  readonly edits: ReadonlySignal<number>;
  /** The latest falsification of the copy, if there is one. */
  readonly last: ReadonlySignal<Tampering | undefined>;
  show(name: string, text: string): void;
  tamper(tampering: Tampering): void;
  undo(): void;
}

interface AlteredCopy {
  readonly text: string;
  readonly by?: Tampering;
}

function openFalsifiedFile(): FalsifiedFile {
  const name = signal<string | undefined>(undefined);
  const copies = signal<readonly AlteredCopy[]>([]);
  const seq = signal(0);
  const text = computed(() => copies.value.at(-1)?.text ?? '');
  return {
    name,
    original: computed(() => copies.value[0]?.text ?? ''),
    text,
    seq,
    edits: computed(() => Math.max(copies.value.length - 1, 0)),
    last: computed(() => copies.value.at(-1)?.by),
    show: (title, opened) => {
      name.value = title === '' ? undefined : title;
      copies.value = [{ text: opened }];
      seq.value = 0;
    },
    tamper: (by) => {
      const falsified = by.apply(text.value, seq.value);
      if (falsified !== text.value) copies.value = [...copies.value, { text: falsified, by }];
    },
    undo: () => {
      copies.value = copies.value.length > 1 ? copies.value.slice(0, -1) : copies.value;
    },
  };
}
