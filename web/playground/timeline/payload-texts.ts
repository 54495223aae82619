import { effect, type ReadonlySignal, signal } from '@preact/signals-core';
import type { RunSession } from '../run/session.ts';
import { hashesIn, type PayloadTexts, type SearchedText, searched } from './record-texts.ts';

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
        next.map(async (hash) => [hash, textIn(await own.bytes(hash).catch(() => undefined))] as const),
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

function textIn(bytes: Uint8Array | undefined): SearchedText {
  return searched(bytes === undefined ? '' : new TextDecoder().decode(bytes).slice(0, UNITS_MAX));
}
