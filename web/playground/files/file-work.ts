import {
  type ExportFile,
  formatHtml,
  type HtmlParts,
  type LedgerRecord,
  payloadRefs,
  type Report,
  type VerifyOptions,
  verifySlices,
} from '../../../core/index.ts';
import { compareRuns, type DifferingMember, isDifferent, type RunComparison } from '../../../core/ledger/compare.ts';
import type { PayloadPage } from '../../../workers/api.ts';
import { recordsIn } from '../../records/steps.ts';
import { packText } from '../parts/pack-text.ts';
import { type DisclosedParts, type Disclosure, leaveOut, partsOf } from './disclosures.ts';
import {
  contentOf,
  type ExportBlob,
  exportBlob,
  FileReader,
  factsOf,
  inSlices,
  packedBytes,
  RUN_LINK,
  type RunSummary,
  type Tell,
} from './export-blob.ts';
import { type FoundPlaces, RunSearch } from './find-in-run.ts';
import { hashesOf } from './hash-uses.ts';
import { type ReportedRun, type ReportedSteps, reportedRun } from './reported-run.ts';
import { TAMPERINGS } from './tampering.ts';

/** A stranger's file as it was opened; `empty` and `none` hold no record of a run. */
export type OpenedFile =
  | { readonly kind: 'run'; readonly file: ExportBlob; readonly facts: RunSummary }
  | { readonly kind: 'checkpoint'; readonly text: string }
  | { readonly kind: 'none' | 'tooLarge' };

/** A line of a file beside the same line of the file that it was made from. */
export interface FileLine {
  readonly is: string;
  readonly was: string;
  readonly stored: string;
  readonly comes: string;
}

/** An export as it would leave the device. */
export interface PreparedFile {
  readonly file: ExportBlob;
  readonly run_id: string | undefined;
  /** The packed run, where it is small enough for a link; and the length that it has or would have. */
  readonly packed: string | undefined;
  readonly packedLength: number | undefined;
  /** Bytes of the export packed for a page, as base64. */
  readonly pageBytes: number;
}

/** A part of a comparison: the number of all its steps, and some of them. */
export interface ComparedPart {
  readonly same: boolean;
  readonly run: readonly DifferingMember[];
  readonly steps: number;
  readonly differing: number;
  readonly pairs: readonly ComparedSteps[];
  /** Pairs behind these. */
  readonly rest: number;
}

export interface ComparedSteps {
  readonly a: readonly LedgerRecord[] | undefined;
  readonly b: readonly LedgerRecord[] | undefined;
  readonly isDifferent: boolean;
  readonly differences: readonly DifferingMember[];
}

/** A falsified copy. */
export interface FalsifiedCopy {
  readonly file: ExportBlob;
  readonly facts: RunSummary;
}

/**
 * The work on texts of runs that takes longer than a frame. A file is read once and kept: each method names its file, so
 * that a worker that was ended can be replaced. The files are strangers': no part of them runs.
 */
export interface FileWork {
  /** Opens a file that a person gave, or the export of a run. */
  open(tell: Tell, given: ExportBlob): Promise<OpenedFile>;
  verify(tell: Tell, file: ExportBlob, against: VerifyOptions): Promise<Report>;
  line(tell: Tell, file: ExportBlob, original: ExportBlob, seq: number): Promise<FileLine>;
  /** Undefined where this way changes nothing. */
  falsified(tell: Tell, file: ExportBlob, word: string, seq: number): Promise<FalsifiedCopy | undefined>;
  find(tell: Tell, file: ExportBlob, sought: string): Promise<FoundPlaces>;
  records(tell: Tell, file: ExportBlob, from: number, count: number): Promise<readonly LedgerRecord[]>;
  /** A payload as it is stored. */
  payload(tell: Tell, file: ExportBlob, sha256: string): Promise<Uint8Array | undefined>;
  /** The payloads that the records from `from` on are the first to name, a page at a time. */
  payloads(tell: Tell, file: ExportBlob, from: number): Promise<PayloadPage>;
  /** What the file discloses. */
  parts(tell: Tell, file: ExportBlob): Promise<DisclosedParts>;
  /** The export with the chosen disclosures alone, and its sizes. */
  prepare(tell: Tell, file: ExportBlob, chosen: readonly Disclosure[]): Promise<PreparedFile>;
  page(tell: Tell, file: ExportBlob, parts: HtmlParts): Promise<Blob>;
  /** What a report of these steps shows. */
  reported(tell: Tell, file: ExportBlob, steps: ReportedSteps): Promise<ReportedRun>;
  /** Steps of a comparison, from the first on: all, or those that differ. */
  compare(tell: Tell, a: ExportBlob, b: ExportBlob, all: boolean, count: number): Promise<ComparedPart | undefined>;
}

export function openFileWork(): FileWork {
  const reader = new FileReader();
  const search = lastOf<RunSearch>();
  const comparison = lastOf<RunComparison>();
  const firsts = lastOf<readonly (readonly string[])[]>();

  return {
    open: async (tell, given) => {
      const content = await contentOf(given.blob);
      if (content.kind !== 'export') return content;
      const file = content.isPage ? exportBlob(content.text) : given;
      const read = await reader.read(file, tell);
      if (read.file.records.every((line) => line === undefined)) return { kind: 'none' };
      return { kind: 'run', file, facts: factsOf(read) };
    },
    verify: async (tell, file, against) => {
      const read = await reader.read(file, (share) => tell(share / 2));
      return inSlices(verifySlices(read.file, against), tell, 0.5);
    },
    line: async (tell, file, original, seq) => {
      const [is = '', was = ''] = [await reader.read(file, tell), await reader.read(original, tell)].map(
        ({ text }) => lineAt(text, seq + 1) ?? '',
      );
      const { stored = '', comes = '' } = hashesOf(is) ?? {};
      return { is, was, stored, comes };
    },
    falsified: async (tell, file, word, seq) => {
      const read = await reader.read(file, tell);
      const text = TAMPERINGS.find((each) => each.word === word)?.apply(read, seq);
      if (text === undefined || text === read.text) return undefined;
      const copy = exportBlob(text);
      return { file: copy, facts: factsOf(await reader.read(copy, tell)) };
    },
    find: async (tell, file, sought) => {
      const read = await reader.read(file, tell);
      return search.of(file.id, () => new RunSearch(read)).find(sought);
    },
    records: async (tell, file, from, count) => {
      const { records } = (await reader.read(file, tell)).file;
      return recordsIn({ records: records.slice(from, from + count) } as never);
    },
    payloads: async (tell, file, from) => {
      const read = (await reader.read(file, tell)).file;
      return pageOf(
        read,
        firsts.of(file.id, () => firstNames(read)),
        from,
      );
    },
    payload: async (tell, file, sha256) => (await reader.read(file, tell)).file.payloads.get(sha256),
    parts: async (tell, file) => partsOf((await reader.read(file, tell)).file),
    prepare: async (tell, file, chosen) => {
      const read = await reader.read(file, tell);
      const text = leaveOut(read, new Set(chosen));
      const own = text === read.text ? file : exportBlob(text);
      const packed = own.blob.size > RUN_LINK.bytesMax ? undefined : await packText(text);
      return {
        file: own,
        run_id: read.file.run_id,
        packed: packed !== undefined && packed.length <= RUN_LINK.charactersMax ? packed : undefined,
        packedLength: packed?.length,
        pageBytes: Math.ceil((await packedBytes(text)).length / 3) * 4,
      };
    },
    page: async (tell, file, parts) => {
      const { text } = await reader.read(file, tell);
      return new Blob([formatHtml(await packedBytes(text), parts)], { type: 'text/html' });
    },
    reported: async (tell, file, steps) => reportedRun((await reader.read(file, tell)).file, steps),
    compare: async (tell, a, b, all, count) => {
      const own = await reader.read(a, (share) => tell(share / 2));
      const other = await reader.read(b, (share) => tell((1 + share) / 2));
      if (other.file.records.length === 0) return undefined;
      const { same, run, steps } = comparison.of(`${a.id} ${b.id}`, () => compareRuns(own.file, other.file));
      const differing = steps.filter(isDifferent);
      const wanted = all ? steps : differing;
      const pairs = wanted.slice(0, count).map((pair) => ({
        a: pair.a?.records,
        b: pair.b?.records,
        isDifferent: isDifferent(pair),
        differences: pair.differences,
      }));
      return {
        same,
        run,
        steps: steps.length,
        differing: differing.length,
        pairs,
        rest: Math.max(wanted.length - count, 0),
      };
    },
  };
}

/** For each line of a file, the payloads that no line before it names. */
function firstNames({ records }: ExportFile): readonly (readonly string[])[] {
  const seen = new Set<string>();
  return records.map((line) => {
    const fresh = line === undefined ? [] : payloadRefs(line.record).filter(({ sha256 }) => !seen.has(sha256));
    for (const { sha256 } of fresh) seen.add(sha256);
    return fresh.map(({ sha256 }) => sha256);
  });
}

/** Bytes of a page behind which no record is added to it. */
const PAGE_BYTES = 1 << 20;

function pageOf({ payloads }: ExportFile, names: readonly (readonly string[])[], from: number): PayloadPage {
  const page: { sha256: string; bytes: Uint8Array }[] = [];
  let [next, size] = [from, 0];
  for (; next < names.length && size < PAGE_BYTES; next++)
    for (const sha256 of names[next] ?? []) {
      const bytes = payloads.get(sha256);
      if (bytes === undefined) continue;
      page.push({ sha256, bytes });
      size += bytes.length;
    }
  return { payloads: page, ...(next < names.length && { next }) };
}

/** Keeps the value that was made last. */
function lastOf<T>(): { of(key: string, make: () => T): T } {
  let last: { readonly key: string; readonly value: T } | undefined;
  return {
    of: (key, make) => {
      if (last?.key !== key) last = { key, value: make() };
      return last.value;
    },
  };
}

/** A line of a text; undefined behind its last. */
function lineAt(text: string, line: number): string | undefined {
  let from = 0;
  for (let nth = 0; nth < line; nth++) {
    from = text.indexOf('\n', from) + 1;
    if (from === 0) return undefined;
  }
  const to = text.indexOf('\n', from);
  return text.slice(from, to < 0 ? undefined : to);
}
