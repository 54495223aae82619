import { decodeUtf8, groupBySteps, parseExport } from '../../../core/index.ts';
import { recordsIn } from '../../records/steps.ts';
import { send } from '../../texts/en/send.ts';
import { RUN_LINK } from '../files/export-blob.ts';
import { unpackBytes } from '../parts/packed-text.ts';

/** A run that a link carried: the text of an export, as it was packed. None of it was run. */
export interface LinkedRun {
  readonly text: string;
  readonly run_id: string;
  readonly records: number;
  readonly steps: number;
  /** Characters in the link, and bytes of the text. */
  readonly characters: number;
  readonly bytes: number;
}

export type RunLinkResult =
  | { readonly ok: true; readonly run: LinkedRun }
  | { readonly ok: false; readonly reason: string };

/** Reads a stranger's packed run, under bounds, without running it and without a request. */
export async function openRunLink(packed: string): Promise<RunLinkResult> {
  const unpacked = await unpackBytes(packed, RUN_LINK);
  if (!unpacked.ok) return no(unpacked.reason);
  const text = decodeUtf8(unpacked.bytes);
  if (text === undefined) return no(send().sent.noText);
  const file = parseExport(text);
  const records = recordsIn(file);
  if (records.length === 0) return no(send().sent.noRecord);
  const steps = groupBySteps(records).filter(({ step }) => step !== undefined).length;
  const run_id = file.run_id ?? 'unnamed';
  const [characters, bytes] = [packed.length, unpacked.bytes.length];
  return { ok: true, run: { text, run_id, records: records.length, steps, characters, bytes } };
}

function no(reason: string): RunLinkResult {
  return { ok: false, reason: send().sent.refused(reason) };
}

/** The packed run of a link that stands alone in a text; undefined for any other text. */
export function packedIn(text: string): string | undefined {
  return /^(?:https?:\/\/[^\s#]*)?#run=(\S+)$/iu.exec(text.trim())?.[1];
}

/** A text that a person gave: a link with a run, an export or a saved page, or an address. */
export type ImportedText =
  | { readonly kind: 'link'; readonly packed: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'address'; readonly url: URL };

/** A link with a run is never taken for an address, so opening it makes no request. Undefined for any other text. */
export function inputIn(text: string): ImportedText | undefined {
  const packed = packedIn(text);
  if (packed !== undefined) return { kind: 'link', packed };
  const trimmed = text.trim();
  if (/^(?:\{|<!doctype html>)/iu.test(trimmed)) return { kind: 'text', text };
  if (!/^https?:\/\/\S+$/iu.test(trimmed) || !URL.canParse(trimmed)) return undefined;
  return { kind: 'address', url: new URL(trimmed) };
}
