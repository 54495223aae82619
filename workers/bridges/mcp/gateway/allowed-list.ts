import { createHash } from 'node:crypto';
import { AUTHOR_TERM_NAMES, picked } from '../../../../core/capability/grant-terms.ts';
import { canonicalText } from '../../../../core/json/canonical.ts';
import type { AllowedRow } from '../../../../core/privilege/allowed.ts';
import { visibleLine } from '../../../../core/text/visible.ts';
import type { Runtime } from '../../../api.ts';
import { type AllowedSections, allowedSections, type ShownAllowed } from './allowed-html.ts';
import type { ConfiguredGrant } from './config.ts';
import type { ActResult } from './page.ts';
import type { ShownRule } from './page-html.ts';
import { entryFinder, reasonOf } from './policy.ts';

/** A grant of the configuration that a person can take back. */
interface StandingGrant extends ShownRule {
  readonly entry: ConfiguredGrant;
}

interface AllowedParts {
  readonly runtime: Promise<Pick<Runtime, 'grants' | 'held'>>;
  readonly entries: () => readonly StandingGrant[];
  readonly endWatch: () => Promise<ActResult>;
}

/** Everything that is permitted now, from the configuration, the command line, answers and a watch. */
export class AllowedList {
  readonly #parts: AllowedParts;
  /** What the rows of the newest list are taken back by, where the configuration does not have them. */
  #acts: ReadonlyMap<string, () => Promise<ActResult>> = new Map();
  #reading: Promise<AllowedSections> | undefined;

  constructor(parts: AllowedParts) {
    this.#parts = parts;
  }

  /** Counts the uses in the ledger. Pages that ask meanwhile get the same list. */
  read(): Promise<AllowedSections> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Takes back what the newest list has shown with this id; undefined for an id that it has not. */
  async takeBack(id: string): Promise<ActResult | undefined> {
    return this.#acts.get(id)?.();
  }

  async #read(): Promise<AllowedSections> {
    const { grants, held } = await this.#parts.runtime;
    const entries = this.#parts.entries();
    const find = entryFinder(entries.flatMap(({ id, entry, idle }) => (idle === undefined ? [{ ...entry, id }] : [])));
    const entryOf = (grant: AllowedRow['grants'][number]) => {
      const { id } = find(grant) ?? {};
      return entries.find((each) => each.id === id);
    };
    const {
      rows,
      sources,
      since,
      isCut = false,
    } = await grants.allowed({
      by: (grant) => reasonOf(entryOf(grant)?.entry),
    });
    const acts = new Map<string, () => Promise<ActResult>>();
    const shown = rows.map((row): ShownAllowed => {
      const [first] = row.grants;
      const isConfigured = row.by === 'configuration' || row.by === 'always';
      const entry = isConfigured && first !== undefined ? entryOf(first) : undefined;
      if (row.by === 'watch') acts.set(row.id, this.#parts.endWatch);
      if (row.by === 'answer') acts.set(row.id, () => revoke(grants, row));
      return shownRow(row, entry, acts.has(row.id));
    });
    const named = new Set(shown.map(({ id }) => id));
    const idle = entries.flatMap((each) => (named.has(each.id) ? [] : [idleRow(each)]));
    const handed = sources.map(({ source, labels }) => ({ id: idOf(source), source, labels }));
    for (const { id, source } of handed)
      acts.set(id, async () => {
        await held.clear(source);
        return { isDone: true, message: `${visibleLine(source)} is cleared for runs that begin from now on.` };
      });
    this.#acts = acts;
    return allowedSections({
      rows: [...shown, ...idle],
      sources: handed,
      isCut,
      ...(since !== undefined && { since }),
    });
  }
}

async function revoke(grants: Runtime['grants'], { id, names }: AllowedRow): Promise<ActResult> {
  await grants.revoke(id);
  return { isDone: true, message: `${visibleLine(names.join(', '))} asks again in the run that it was answered for.` };
}

function shownRow(row: AllowedRow, entry: StandingGrant | undefined, canEnd: boolean): ShownAllowed {
  const { by, names, grants, id, question, uses, last, runs, runCount, isUnused = false } = row;
  const [first] = grants;
  const terms = entry?.entry ?? (first && picked<Partial<ConfiguredGrant>>(first, AUTHOR_TERM_NAMES));
  const exact = first?.args_hash !== undefined && { args: 'these alone' };
  return {
    by,
    id: entry?.id ?? id,
    tools: names,
    mode: first?.mode === 'ask' ? 'ask' : 'allow',
    ...termsOf({ ...terms, ...exact }),
    ...(entry?.definition !== undefined && { definition: entry.definition }),
    ...(question !== undefined && { question }),
    uses,
    ...(last !== undefined && { last }),
    runs,
    runCount,
    isUnused,
    canEnd: canEnd || (entry !== undefined && canTakeBack(entry)),
  };
}

/** No click takes away that a yes has to be signed. */
function canTakeBack({ entry }: StandingGrant): boolean {
  return entry.signed === undefined;
}

function idleRow(row: StandingGrant): ShownAllowed {
  const { id, tool, definition, idle, entry } = row;
  return {
    id,
    tools: [tool],
    mode: entry.mode === 'ask' ? 'ask' : 'allow',
    ...termsOf(entry),
    ...(definition !== undefined && { definition }),
    ...(idle !== undefined && { idle }),
    uses: 0,
    runs: [],
    runCount: 0,
    canEnd: canTakeBack(row),
  };
}

function termsOf(given: Partial<ConfiguredGrant>): { readonly terms?: string } {
  const { tool: _, definition: __, mode: ___, fallback: ____, ...terms } = given;
  return Object.keys(terms).length === 0 ? {} : { terms: canonicalText(terms as never) };
}

function idOf(source: string): string {
  return createHash('sha256').update(`source ${source}`).digest('hex');
}
