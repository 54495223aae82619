import type { Label } from '../../core/capability/guard.ts';
import { LABELS } from '../../core/capability/guard.ts';
import { hashText, isHash } from '../../core/hash.ts';
import { encodeText } from '../../core/json/utf8.ts';
import { isObject, type JsonObject, type JsonValue } from '../../core/json/value.ts';
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
  /** The newest run. */
  readonly last?: BegunRun;
  /** Runs that the newest did not go on for: they were open beside it, or other sessions go on for them. */
  readonly beside: readonly BegunRun[];
  /** Rows that a new run writes with its first record. */
  readonly rows: (begun: BegunRun, beside: readonly BegunRun[]) => readonly StoredRow[];
}

/** A run, and when it began, ms since epoch. */
export interface BegunRun {
  readonly run: string;
  readonly at: number;
}

/** Runs that are remembered beside the newest. */
export const BESIDE_MAX: number = 64;

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
    const found = await this.#secret();
    if (!found.ok) return found;
    const secret = found.value;
    const hash = await hmac(secret, principal);
    const row = await this.#store.get('kept', `${ROWS}${hash}`);
    if (!row.ok) return row;
    const known = isObject(row.value) ? row.value : {};
    const last = begunIn(known);
    const list: readonly JsonValue[] = Array.isArray(known['beside']) ? known['beside'] : [];
    const beside = list.flatMap((each) => (isObject(each) ? (begunIn(each) ?? []) : []));
    const rows: KnownPrincipal['rows'] = (begun, others) => [
      { key: SECRET, value: { text: secret } },
      {
        key: `${ROWS}${hash}`,
        value: { ...begun, ...(others.length > 0 && { beside: others.map((each) => ({ ...each })) }) },
      },
    ];
    return pass({ hash, rows, beside, ...(last && { last }) });
  }

  async #secret(): Promise<Outcome<string>> {
    const row = await this.#store.get('kept', SECRET);
    if (!row.ok) return row;
    const text = isObject(row.value) ? row.value['text'] : undefined;
    return pass(isHash(text) ? text : (this.#made ??= freshSecret()));
  }
}

function begunIn({ run, at }: JsonObject): BegunRun | undefined {
  return typeof run === 'string' && typeof at === 'number' ? { run, at } : undefined;
}

function freshSecret(): string {
  return hashText(crypto.getRandomValues(new Uint8Array(32)));
}

async function hmac(secret: string, text: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', new Uint8Array(encodeText(secret)), algorithm, false, ['sign']);
  return hashText(new Uint8Array(await crypto.subtle.sign('HMAC', key, new Uint8Array(encodeText(text)))));
}
