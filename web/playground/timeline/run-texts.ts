import { effect, type ReadonlySignal, signal } from '@preact/signals-core';
import type { LedgerRecord } from '../../../core/index.ts';
import type { RunSession } from '../run/session.ts';
import { type Filter, matches, soughtIn } from './filter.ts';
import { type PayloadTexts, type SearchedText, searched, textsOf } from './record-texts.ts';

/** The texts of a run, as far as they are read for a search. */
export interface ReadTexts {
  readonly texts: PayloadTexts;
  /** Records from the beginning of the run whose texts are here. */
  readonly read: number;
}

/** A longer text is searched up to here. */
const UNITS_MAX = 200_000;
/** ms of work between two pauses: a key that is pressed meanwhile waits no longer. */
const SLICE_MS = 20;
/** ms between two drawings of a list that is still being read. */
const DRAWN_MS = 250;

/**
 * Reads the texts of the open run with the first search for a word: in one pass over its payloads, in slices between
 * which the page answers. Records that arrive later are read as they come.
 */
export function openRunTexts(
  session: ReadonlySignal<RunSession | undefined>,
  isWanted: ReadonlySignal<boolean>,
): ReadonlySignal<ReadTexts> {
  let texts = new Map<string, SearchedText>();
  const shown = signal<ReadTexts>({ texts, read: 0 });
  let of: RunSession | undefined;
  let isBusy = false;

  async function read(own: RunSession): Promise<void> {
    const into = texts;
    let { read: done } = shown.peek();
    const pace = openPace(() => void (shown.value = { texts: into, read: done }));
    const isOpen = (): boolean => session.peek() === own && isWanted.peek();
    for (let from: number | undefined = done; from !== undefined && isOpen(); ) {
      const records = own.records.peek();
      const page = await own.payloads(from);
      for (const { sha256, bytes } of page.payloads) {
        if (!into.has(sha256)) into.set(sha256, textIn(bytes));
        if (pace.isDue()) await pace.pause();
        if (!isOpen()) return;
      }
      for (const to = Math.min(page.next ?? records.length, records.length); done < to; done++) {
        const record = records[done];
        if (record !== undefined) textsOf(record, into);
        if (pace.isDue()) await pace.pause();
        if (!isOpen()) return;
      }
      from = page.next;
    }
    if (session.peek() === own) shown.value = { texts: into, read: done };
  }

  effect(() => {
    const own = session.value;
    if (own !== of) {
      of = own;
      texts = new Map();
      shown.value = { texts, read: 0 };
    }
    const isBehind = own !== undefined && own.records.value.length > shown.value.read;
    if (!isBehind || !isWanted.value || isBusy) return;
    isBusy = true;
    void read(own)
      .catch(() => {
        // what cannot be read is not found: the checks of the run name the fault
        if (session.peek() === own) shown.value = { ...shown.peek(), read: own.records.peek().length };
      })
      .finally(() => {
        isBusy = false;
        // another run was opened meanwhile
        if (session.peek() !== own) shown.value = { ...shown.peek() };
      });
  });
  return shown;
}

interface Pace {
  /** True behind a slice of work. */
  isDue(): boolean;
  /** Lets the page answer, and draws now and then. */
  pause(): Promise<void>;
}

function openPace(draw: () => void): Pace {
  let began = performance.now();
  let drawn = began;
  return {
    isDue: () => performance.now() - began > SLICE_MS,
    pause: async () => {
      if (performance.now() - drawn > DRAWN_MS) {
        draw();
        drawn = performance.now();
      }
      await new Promise((resolve) => setTimeout(resolve));
      began = performance.now();
    },
  };
}

function textIn(bytes: Uint8Array): SearchedText {
  // a unit has at most three bytes
  return searched(new TextDecoder().decode(bytes.subarray(0, 3 * UNITS_MAX)).slice(0, UNITS_MAX));
}

/** The records that a search found, and in which. */
interface Search {
  readonly filter: Filter;
  readonly texts: PayloadTexts;
  readonly language: string;
  /** Number of searched records, and the last of them. */
  readonly count: number;
  readonly last: LedgerRecord | undefined;
  readonly found: readonly LedgerRecord[];
}

/**
 * Finds the records of a growing run that match a filter. Records that were searched before are not searched again, and
 * a filter that goes on from the one before is tried on what that one has found.
 */
export function openMatches(): (
  filter: Filter,
  records: readonly LedgerRecord[],
  read: ReadTexts,
  language: string,
) => readonly LedgerRecord[] {
  let before: Search | undefined;
  return (filter, records, { texts, read }, language) => {
    if (filter.fields.length === 0 && filter.words.length === 0) return records;
    const count = soughtIn(filter).length === 0 ? records.length : Math.min(read, records.length);
    const known =
      before !== undefined &&
      before.language === language &&
      before.texts === texts &&
      before.count <= count &&
      before.last === records[before.count - 1] &&
      goesOn(before.filter, filter)
        ? before
        : undefined;
    const fits = (record: LedgerRecord): boolean => matches(filter, record, texts);
    const again = known === undefined || known.filter === filter ? known?.found : known.found.filter(fits);
    const fresh = records.slice(known?.count ?? 0, count).filter(fits);
    const found = again === undefined ? fresh : fresh.length === 0 ? again : [...again, ...fresh];
    before = { filter, texts, language, count, last: records[count - 1], found };
    return found;
  };
}

/** True where each record that matches `next` matches `filter`, too. */
function goesOn(filter: Filter, next: Filter): boolean {
  if (filter === next) return true;
  const isSame = JSON.stringify(filter.fields) === JSON.stringify(next.fields);
  return isSame && filter.words.every((word) => next.words.some((longer) => longer.includes(word)));
}
