import { accept } from './accept.ts';
import { flat } from './flat.ts';
import { ledger } from './ledger.ts';
import { sandbox } from './sandbox.ts';
import { schema } from './schema.ts';
import { step } from './step.ts';
import type { Row } from './table.ts';

export interface Section {
  readonly name: string;
  readonly rounds: number;
  readonly run: (wasm: Uint8Array, rounds: number) => Promise<readonly Row[]>;
}

/** The uses of a corpus of 100 MB, each in a page of its own. */
export const LARGE = ['large: added', 'large: unchanged', 'large: opened', 'large: rebuilt'] as const;

/** The sections that can be measured anywhere. Sections that need a disk are added by the entries that have a disk. */
export const SECTIONS: readonly Section[] = [
  { name: 'accept', rounds: 9, run: (_wasm, rounds) => accept(rounds) },
  { name: 'sandbox', rounds: 7, run: sandbox },
  { name: 'step', rounds: 11, run: step },
  { name: 'flat', rounds: 3, run: flat },
  { name: 'ledger', rounds: 9, run: (_wasm, rounds) => ledger(rounds) },
  { name: 'schema', rounds: 9, run: schema },
];

/** Runs the sections that are named in `wanted`, all when it is empty, and reports each when it is done. */
export async function runSections(
  sections: readonly Section[],
  wanted: readonly string[],
  wasm: Uint8Array,
  report: (rows: readonly Row[], section: string) => void,
): Promise<void> {
  for (const { name, rounds, run } of sections) {
    if (wanted.length === 0 || wanted.includes(name)) report(await run(wasm, rounds), name);
  }
}
