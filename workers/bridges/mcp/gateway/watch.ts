import { dirname, join } from 'node:path';
import { canonicalText } from '../../../../core/json/canonical.ts';
import { decode } from '../../../../core/json/decode.ts';
import { isCount, isObject } from '../../../../core/json/value.ts';
import { arrayOf, type Form, isText, oneOf, optional, shaped } from '../../../../core/ledger/form.ts';
import { GRANT_LIMITS } from '../../../../core/limits.ts';
import { changeFile, readIfThere } from './atomic-file.ts';
import { ConfigurationError } from './config-file.ts';

/** A watch of a gateway, as its file beside the pins has it. */
export interface StoredWatch {
  /** The option as a person has written it, for example `2h`. */
  readonly option: string;
  /** Integer ms since epoch. */
  readonly until: number;
  readonly note?: string;
  readonly egress?: true;
  /** Hashes of the definitions that were pinned when it began. */
  readonly definitions: readonly string[];
  /** The wishes with which a start has begun a watch, as texts: none of them begins a second one. */
  readonly started?: readonly string[];
}

/** What a person asks for. */
export type WatchWish = Pick<StoredWatch, 'option' | 'note' | 'egress'>;

const STORED: Form<StoredWatch> = {
  option: isText,
  until: isCount,
  note: optional(isText),
  egress: optional(oneOf(true)),
  definitions: arrayOf(isText),
  started: optional(arrayOf(isText)),
};
const isStored = shaped(STORED);

/** The watch that the gateways of these pins share: each looks at its file, and a person begins and ends it there. */
export class WatchFile {
  readonly path: string;

  /** `pins`: path of the file with the pins. */
  constructor(pins: string) {
    this.path = join(dirname(pins), 'watch.json');
  }

  /** The watch that was begun last, over or not. */
  read(): StoredWatch | undefined {
    return parse(readIfThere(this.path), this.path);
  }

  /** The watch that has not ended at `now`. */
  current(now: number): StoredWatch | undefined {
    const stored = this.read();
    return stored !== undefined && now < stored.until ? stored : undefined;
  }

  /**
   * Begins a watch at `now`. A watch that has not ended goes on as it is. With `once`, as for an option that a host gives
   * with each start, the same wish never begins a second time.
   */
  async begin(
    wish: WatchWish,
    definitions: readonly string[],
    now: number,
    once = false,
  ): Promise<{ readonly watch: StoredWatch; readonly isNew: boolean }> {
    const until = now + lengthOf(wish.option);
    const next: StoredWatch = { ...wish, until, definitions: [...new Set(definitions)].sort() };
    let result = { watch: next, isNew: true };
    await changeFile(this.path, (bytes) => {
      const before = parse(bytes, this.path);
      const { started = [] } = before ?? {};
      const text = wishText(wish);
      const isRepeated = once && before !== undefined && (started.includes(text) || wishText(before) === text);
      const isKept = before !== undefined && (now < before.until || isRepeated);
      const begun = { ...next, ...(started.length > 0 && { started }), ...(once && { started: [...started, text] }) };
      result = isKept ? { watch: before, isNew: false } : { watch: begun, isNew: true };
      return isKept ? undefined : textOf(begun);
    });
    return result;
  }

  /** Ends the watch at `now`. False where there is none. */
  async end(now: number): Promise<boolean> {
    let isDone = false;
    await changeFile(this.path, (bytes) => {
      const before = parse(bytes, this.path);
      isDone = before !== undefined && now < before.until;
      return isDone && before !== undefined ? textOf({ ...before, until: now }) : undefined;
    });
    return isDone;
  }
}

function wishText({ option, note, egress }: WatchWish): string {
  return canonicalText({ option, ...(note !== undefined && { note }), ...(egress && { egress }) });
}

function textOf(watch: StoredWatch): string {
  const { definitions, started, ...others } = watch;
  return `${canonicalText({ ...others, definitions: [...definitions], ...(started && { started: [...started] }) })}\n`;
}

/** A file that cannot be read permits nothing, and its fault is told. */
function parse(bytes: Uint8Array | undefined, path: string): StoredWatch | undefined {
  if (bytes === undefined) return undefined;
  const decoded = decode(bytes);
  if (!decoded.ok || !isObject(decoded.value) || !isStored(decoded.value))
    throw new ConfigurationError(`${path} is no watch: remove the file`);
  return decoded.value as unknown as StoredWatch;
}

const UNITS: { readonly [unit: string]: number } = { m: 60_000, h: 3_600_000 };

/** ms of a length such as `90m` or `2h`, at most a day. */
function lengthOf(option: string): number {
  const [, count = '', unit = ''] = /^(\d{1,4})([mh])$/.exec(option) ?? [];
  const length = Number(count) * (UNITS[unit] ?? 0);
  if (length === 0 || length > GRANT_LIMITS.watchMs)
    throw new ConfigurationError(`A watch has a length such as 90m or 2h, at most 24h, and not ${option}`);
  return length;
}

/** A moment as a person reads it at this machine. */
export function momentText(at: number): string {
  return new Date(at).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
}
