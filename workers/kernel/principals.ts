import type { Label } from '../../core/capability/guard.ts';
import { LABELS } from '../../core/capability/guard.ts';
import { hashText, isHash } from '../../core/hash.ts';
import { encodeText } from '../../core/json/utf8.ts';
import { isObject } from '../../core/json/value.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import type { StoredRow } from '../../core/run/event.ts';
import type { LedgerStore } from '../store/store.ts';

/** Rows of the table `kept` that no capability reaches, and that no backup brings back. */
const ROWS = 'principals/';
const SECRET = `${ROWS}secret`;

/** ms after its newest record for which a new run of a principal begins with what its run before has come to. */
export const REMEMBERED_MS: number = 24 * 3_600_000;

/** Labels of a run whose past cannot be told. */
export const UNKNOWN_PAST: readonly Label[] = LABELS;

/** A principal, as runs and rows name it. */
export interface KnownPrincipal {
  /** HMAC-SHA-256 of the principal's text, with the secret of this ledger: 64 lower-case hex digits. */
  readonly hash: string;
  /** The newest run, and when it began, ms since epoch. */
  readonly last?: { readonly run: string; readonly at: number };
  /** Rows that a new run writes with its first record. */
  readonly rows: (run: string, at: number) => readonly StoredRow[];
}

/** The principals of a ledger. Their names stand in no record. */
export class Principals {
  readonly #store: Pick<LedgerStore, 'get'>;
  /** A secret that no run has written yet has to be the same for all runs that begin meanwhile. */
  #made: string | undefined;

  constructor(store: Pick<LedgerStore, 'get'>) {
    this.#store = store;
  }

  /** The HMAC of a principal. */
  async name(principal: string): Promise<Outcome<string>> {
    const secret = await this.#secret();
    return secret.ok ? pass(await hmac(secret.value, principal)) : secret;
  }

  async find(principal: string): Promise<Outcome<KnownPrincipal>> {
    const known = await this.#secret();
    if (!known.ok) return known;
    const secret = known.value;
    const hash = await hmac(secret, principal);
    const row = await this.#store.get('kept', `${ROWS}${hash}`);
    if (!row.ok) return row;
    const { run, at } = isObject(row.value) ? row.value : {};
    const rows = (begun: string, began: number): readonly StoredRow[] => [
      { key: SECRET, value: { text: secret } },
      { key: `${ROWS}${hash}`, value: { run: begun, at: began } },
    ];
    return pass({ hash, rows, ...(typeof run === 'string' && typeof at === 'number' && { last: { run, at } }) });
  }

  async #secret(): Promise<Outcome<string>> {
    const row = await this.#store.get('kept', SECRET);
    if (!row.ok) return row;
    const text = isObject(row.value) ? row.value['text'] : undefined;
    return pass(isHash(text) ? text : (this.#made ??= freshSecret()));
  }
}

function freshSecret(): string {
  return hashText(crypto.getRandomValues(new Uint8Array(32)));
}

async function hmac(secret: string, text: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', new Uint8Array(encodeText(secret)), algorithm, false, ['sign']);
  return hashText(new Uint8Array(await crypto.subtle.sign('HMAC', key, new Uint8Array(encodeText(text)))));
}
