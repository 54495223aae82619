import { batch, computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import { isWhole, type Report, type VerifyOptions } from '../../../core/index.ts';
import type { Runtime } from '../../../workers/api.ts';
import { audit } from '../../texts/en/audit.ts';
import { type ExportBlob, exportBlob, FILE_MAX, type RunSummary, textOf } from '../files/export-blob.ts';
import type { FileLine } from '../files/file-work.ts';
import type { FileWatch, FileWorker } from '../files/file-worker.ts';
import type { FoundPlaces } from '../files/find-in-run.ts';
import type { Tampering } from '../files/tampering.ts';
import { PageError } from '../parts/page-error.ts';
import { saveFile } from '../parts/save-file.ts';

/** An export under examination: the text as it came, a copy that may be falsified, and the report of the checks. */
export interface Audit extends Omit<FalsifiedFile, 'show' | 'put'>, Examination {
  readonly files: FileWorker;
  /** The head that a person gives. */
  readonly anchorText: Signal<string>;
  /** Heads that the file is compared with: the given head, and the head of a run of this device in its own ledger. */
  readonly against: ReadonlySignal<VerifyOptions>;
  /** The text of the search: words, or a hash by its beginning. */
  readonly sought: Signal<string>;
  /** Undefined while nothing is sought, and until the first places are there. */
  readonly found: ReadonlySignal<FoundPlaces | undefined>;
  /** The chosen record's line; undefined until it is read. */
  readonly line: ReadonlySignal<FileLine | undefined>;
  /** The packed run of the link that brought the open file. */
  readonly linked: ReadonlySignal<string | undefined>;
  /** Why the last action failed. */
  readonly trouble: ReadonlySignal<unknown>;
  openRun(id: string): Promise<void>;
  /** Examines an export; a checkpoint becomes the anchor of the open export. */
  openFile(file: File): Promise<void>;
  /** Examines this text of an export. */
  openText(title: string, text: string): Promise<void>;
  /** Saves the log's current checkpoint, to be kept outside this device. */
  saveCheckpoint(): Promise<void>;
  /** Shows a run that a link brought, and makes none of its decisions before `release`. */
  openLinked(title: string, text: string, packed: string): Promise<void>;
  /** The file as it stands; of a run of this device on request with its secret texts. */
  exported(secrets: boolean): Promise<ExportBlob>;
  /** The text as it stands. */
  text(): Promise<string>;
  /** A falsified copy, with the record that is chosen. */
  tamper(tampering: Tampering): Promise<void>;
  close(): void;
}

/** Work on the open file that is under way. */
export interface AuditTask {
  readonly what: 'reading' | 'checks' | 'decisions' | 'replay' | 'falsifying';
  /** The share that is done, where it is known. */
  readonly share?: number;
  stop(): void;
}

export function openAudit(runtime: Runtime, files: FileWorker): Audit {
  const copies = openFalsifiedFile();
  const { file } = copies;
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
  const linked = signal<string | undefined>(undefined);
  const under = signal<AuditTask | undefined>(undefined);
  /** The run of this device whose export is open. */
  const own = signal<string | undefined>(undefined);
  /** A run of this device is named in the language of the moment. */
  const name = computed(() => (own.value === undefined ? copies.name.value : audit().run(own.value.slice(0, 8))));

  /** Follows a task; a person's Stop is no failure. */
  const watched = async (what: AuditTask['what'], work: (watch: Required<FileWatch>) => Promise<void>) => {
    const ending = new AbortController();
    let mine: AuditTask | undefined;
    const show = (share?: number): void => {
      mine = { what, ...(share !== undefined && { share }), stop: () => ending.abort() };
      under.value = mine;
    };
    show();
    try {
      await work({ signal: ending.signal, onProgress: (share) => void (under.peek() === mine && show(share)) });
    } catch (error) {
      if (!(error instanceof DOMException && error.name === 'AbortError')) throw error;
    } finally {
      if (under.peek() === mine) under.value = undefined;
    }
  };
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    trouble.value = undefined;
    await work().catch((error: unknown) => {
      trouble.value = error;
    });
  };

  const examination = openExamination({ runtime, files, file, against, held, watched, attempt });

  interface Shown {
    readonly title: string;
    readonly run?: { readonly id: string; readonly head: VerifyOptions['stored'] };
    readonly link?: string;
  }

  /** A file without a record is refused, and the open file stays. */
  const open = async (given: Blob, { title, run, link }: Shown): Promise<void> => {
    if (given.size > FILE_MAX) throw new PageError(() => audit().tooLarge(given.size, FILE_MAX >> 20));
    await watched('reading', async (watch) => {
      const opened = await files.call('open', [exportBlob(given)], watch);
      if (opened.kind === 'checkpoint' && file.peek() !== undefined) return void (anchorText.value = opened.text);
      if (opened.kind === 'tooLarge') throw new PageError(() => audit().unfoldsTooFar(FILE_MAX >> 20));
      if (opened.kind !== 'run') throw given.size === 0 ? new PageError(() => audit().empty) : noRecord(title);
      batch(() => {
        held.value = link !== undefined;
        linked.value = link;
        own.value = run?.id;
        anchorText.value = '';
        stored.value = run?.head;
        copies.show(title, opened.file, opened.facts);
      });
    });
    await examination.first();
  };
  const noRecord = (title: string) =>
    new PageError(() => {
      const { noRecord: none, still } = audit();
      return `${none(title)}${name.value === undefined || file.value === undefined ? '' : still(name.value)}`;
    });

  return {
    files,
    ...copies,
    ...examination,
    name,
    under,
    anchorText,
    against,
    ...openSearch(files, file),
    line: lineOf(files, copies),
    linked,
    trouble,
    openRun: (id) =>
      attempt(async () => {
        const row = (await runtime.runs()).find(({ run_id }) => run_id === id);
        const head = row && { records: row.records, head: row.head };
        await open(new Blob([await runtime.ledger.export(id)]), { title: id, run: { id, head } });
      }),
    openFile: (opened) => attempt(() => open(opened, { title: opened.name })),
    openText: (title, opened) => attempt(() => open(new Blob([opened]), { title })),
    saveCheckpoint: () =>
      attempt(async () => {
        const { text: taken, size } = await runtime.ledger.checkpoint();
        saveFile(`sallyport-${size}.checkpoint.txt`, taken, 'text/plain');
      }),
    openLinked: (title, opened, packed) => attempt(() => open(new Blob([opened]), { title, link: packed })),
    exported: async (secrets) => {
      const id = copies.edits.peek() === 0 ? own.peek() : undefined;
      const open = file.peek() ?? exportBlob('');
      return id !== undefined && secrets ? exportBlob(await runtime.ledger.export(id, { secrets })) : open;
    },
    text: async () => textOf((file.peek() ?? exportBlob('')).blob),
    tamper: (by) =>
      attempt(() =>
        watched('falsifying', async (watch) => {
          const open = file.peek();
          if (open === undefined) return;
          const copy = await files.call('falsified', [open, by.word, copies.seq.peek()], watch);
          if (copy !== undefined && file.peek() === open) copies.put({ ...copy, by });
        }),
      ),
    close: () =>
      batch(() => {
        copies.show('', undefined, undefined);
        [held.value, linked.value, own.value, trouble.value] = [false, undefined, undefined, undefined];
        [anchorText.value, stored.value] = ['', undefined];
      }),
  };
}

/** The search goes on with the newest text: texts that were typed meanwhile are left out. */
function openSearch(files: FileWorker, file: ReadonlySignal<ExportBlob | undefined>): Pick<Audit, 'sought' | 'found'> {
  const sought = signal('');
  const found = signal<FoundPlaces | undefined>(undefined);
  let isBusy = false;
  let asked = '';
  const search = async (): Promise<void> => {
    isBusy = true;
    for (;;) {
      const [open, text] = [file.peek(), sought.peek()];
      asked = `${open?.id} ${text}`;
      if (open === undefined || text.trim() === '') found.value = undefined;
      else found.value = await files.call('find', [open, text]).catch(() => undefined);
      if (asked === `${file.peek()?.id} ${sought.peek()}`) break;
    }
    isBusy = false;
  };
  effect(() => {
    if (`${file.value?.id} ${sought.value}` !== asked && !isBusy) void search();
  });
  return { sought, found };
}

function lineOf(files: FileWorker, { file, original, seq }: FalsifiedFile): Audit['line'] {
  const line = signal<FileLine | undefined>(undefined);
  effect(() => {
    const [open, first, at] = [file.value, original.value, seq.value];
    line.value = undefined;
    if (open === undefined || first === undefined) return;
    const isNow = (): boolean => file.peek() === open && seq.peek() === at;
    files.call('line', [open, first, at]).then(
      (read) => void (isNow() && (line.value = read)),
      () => undefined,
    );
  });
  return line;
}

export type LinkState = 'intact' | 'altered' | 'unproven';

/** The checks of the text as it stands, against the heads as they stand. */
interface Examination {
  /** The checks of the file alone come first; decisions and replay come after them. Undefined until they are made. */
  readonly report: ReadonlySignal<Report | undefined>;
  /** Work that is under way. */
  readonly under: ReadonlySignal<AuditTask | undefined>;
  /** Checks that are under way. */
  readonly working: ReadonlySignal<'checks' | 'decisions' | 'replay' | undefined>;
  readonly standings: ReadonlySignal<readonly LinkState[]>;
  /** The decisions wait until a person asks for them: a link brought the text. */
  readonly held: ReadonlySignal<boolean>;
  /** Makes the decisions of a held text. */
  release(): void;
  /** Makes the checks again that were stopped. */
  again(): void;
  /** Runs the file again, as it stands. */
  replay(): Promise<void>;
}

interface ExaminationFacts {
  readonly runtime: Runtime;
  readonly files: FileWorker;
  readonly file: ReadonlySignal<ExportBlob | undefined>;
  readonly against: ReadonlySignal<VerifyOptions>;
  readonly held: Signal<boolean>;
  watched(what: AuditTask['what'], work: (watch: Required<FileWatch>) => Promise<void>): Promise<void>;
  attempt(work: () => Promise<void>): Promise<void>;
}

function openExamination(facts: ExaminationFacts): Omit<Examination, 'under'> & { first(): Promise<void> } {
  const { runtime, files, file, against, held, watched, attempt } = facts;
  const report = signal<Report | undefined>(undefined);
  const working = signal<'checks' | 'decisions' | 'replay' | undefined>(undefined);
  /** The texts and heads that the report is about. */
  let turn = 0;
  let first: Promise<void> = Promise.resolve();
  let stop = (): void => undefined;

  /** A result for a text or a head that has changed meanwhile is dropped. */
  const slow = (what: 'decisions' | 'replay', of: number): Promise<void> =>
    attempt(async () => {
      const open = file.peek();
      if (open === undefined || report.peek() === undefined || !isWhole(report.peek() as Report)) return;
      working.value = what;
      await watched(what, async ({ signal: ending, onProgress }) => {
        const leave = new AbortController();
        stop = () => leave.abort();
        const how = { signal: AbortSignal.any([ending, leave.signal]), onProgress };
        const checked = await runtime.ledger.check(open.blob, {
          ...against.peek(),
          replay: what === 'replay',
          ...how,
        });
        if (of === turn) report.value = checked;
      }).finally(() => {
        if (of === turn) working.value = undefined;
      });
    });

  const examine = async (open: ExportBlob, heads: VerifyOptions, of: number): Promise<void> => {
    await attempt(() =>
      watched('checks', async (watch) => {
        const checked = await files.call('verify', [open, heads], watch);
        if (of === turn) report.value = checked;
      }).finally(() => {
        if (of === turn) working.value = undefined;
      }),
    );
    if (of === turn && !held.peek()) void slow('decisions', of);
  };

  const begin = (): void => {
    turn += 1;
    stop();
    report.value = undefined;
    const open = file.peek();
    working.value = open === undefined ? undefined : 'checks';
    if (open !== undefined) first = examine(open, against.peek(), turn);
  };
  effect(() => {
    void [file.value, against.value];
    begin();
  });

  return {
    report,
    working,
    standings: computed(() => standingsOf(report.value)),
    held,
    release: () => {
      held.value = false;
      void slow('decisions', turn);
    },
    again: () => (report.peek() === undefined ? begin() : void slow('decisions', turn)),
    replay: () => slow('replay', turn),
    first: () => first,
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
  readonly original: ReadonlySignal<ExportBlob | undefined>;
  readonly file: ReadonlySignal<ExportBlob | undefined>;
  /** The run in a few lines, as the file stands. */
  readonly facts: ReadonlySignal<RunSummary | undefined>;
  /** The record that the next falsification is about. */
  readonly seq: Signal<number>;
  readonly edits: ReadonlySignal<number>;
  /** The latest falsification of the copy, if there is one. */
  readonly last: ReadonlySignal<Tampering | undefined>;
  show(name: string, file: ExportBlob | undefined, facts: RunSummary | undefined): void;
  put(copy: AlteredCopy): void;
  undo(): void;
}

interface AlteredCopy {
  readonly file: ExportBlob;
  readonly facts: RunSummary;
  readonly by?: Tampering;
}

function openFalsifiedFile(): FalsifiedFile {
  const name = signal<string | undefined>(undefined);
  const copies = signal<readonly AlteredCopy[]>([]);
  const seq = signal(0);
  return {
    name,
    original: computed(() => copies.value[0]?.file),
    file: computed(() => copies.value.at(-1)?.file),
    facts: computed(() => copies.value.at(-1)?.facts),
    seq,
    edits: computed(() => Math.max(copies.value.length - 1, 0)),
    last: computed(() => copies.value.at(-1)?.by),
    show: (title, file, facts) => {
      name.value = title === '' ? undefined : title;
      copies.value = file === undefined || facts === undefined ? [] : [{ file, facts }];
      seq.value = 0;
    },
    put: (copy) => {
      copies.value = [...copies.value, copy];
    },
    undo: () => {
      copies.value = copies.value.length > 1 ? copies.value.slice(0, -1) : copies.value;
    },
  };
}
