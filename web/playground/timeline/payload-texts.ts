import { effect, type ReadonlySignal, signal } from '@preact/signals-core';
import type { LedgerRecord } from '../../../core/index.ts';
import type { RunSession } from '../run/session.ts';

/** Texts of the bytes that records name, in small letters, by their hash. */
export type PayloadTexts = ReadonlyMap<string, string>;

/** A longer text is searched up to here. */
const UNITS_MAX = 200_000;

/** Loaded between two drawings of the list. */
const BATCH = 40;

/** The contents of the run's records, read from the ledger with the first search for a word. */
export function openContents(
  session: ReadonlySignal<RunSession | undefined>,
  isWanted: ReadonlySignal<boolean>,
): ReadonlySignal<PayloadTexts> {
  const contents = signal<PayloadTexts>(new Map());
  let of: string | undefined;
  let busy = false;

  async function load(own: RunSession): Promise<void> {
    busy = true;
    for (;;) {
      const missing = own.records
        .peek()
        .flatMap(hashesIn)
        .filter((hash) => !contents.peek().has(hash));
      const next = [...new Set(missing)].slice(0, BATCH);
      if (next.length === 0 || session.peek() !== own) break;
      const texts = await Promise.all(
        next.map(async (hash) => [hash, lower(await own.bytes(hash).catch(() => undefined))] as const),
      );
      contents.value = new Map([...contents.peek(), ...texts]);
    }
    busy = false;
  }

  effect(() => {
    const own = session.value;
    if (own?.id !== of) {
      of = own?.id;
      contents.value = new Map();
    }
    if (own === undefined || !isWanted.value || own.records.value.length === 0 || busy) return;
    void load(own);
  });
  return contents;
}

function lower(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? '' : new TextDecoder().decode(bytes).slice(0, UNITS_MAX).toLowerCase();
}

const named = new WeakMap<LedgerRecord, readonly string[]>();

/** The hashes that a record names: its proposal, its arguments, its reply. */
export function hashesIn(record: LedgerRecord): readonly string[] {
  const known = named.get(record) ?? (record.kind === 'configuration' ? [] : collect(record.body));
  named.set(record, known);
  return known;
}

function collect(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { sha256 } = value as { readonly sha256?: unknown };
  return [...(typeof sha256 === 'string' ? [sha256] : []), ...Object.values(value).flatMap(collect)];
}
