import { encodeText, formatExport, parseExport } from '../../../core/index.ts';
import { BEHAVIOUR } from '../../../core/ledger/behaviour.ts';
import { findingOf } from '../../../web/selftest/conformance.ts';
import { replayExport } from '../../../workers/node.ts';
import { type Rewritable, replacePayload, rewrite } from '../replay/rewrite.ts';
import { ADD, additionOf, contentRun, privateRun } from './export-runs.ts';

/** A vector of `exports.json`. */
export interface ExportVector {
  readonly name: string;
  readonly clause: string;
  readonly input: {
    readonly export: string;
    readonly anchor?: string | { readonly count: number; readonly head: string };
  };
  readonly expect: ReturnType<typeof findingOf>;
}

/** Texts of the exports by name. */
export type Exports = { readonly [name: string]: string };

/**
 * The files of `test/vectors/exports`: a run of three steps, the same file altered in a single way each, and other
 * runs. `node .scripts/vectors.mjs` writes them.
 */
export async function makeExports(): Promise<Exports> {
  const whole = await additionOf([
    '{"next_step": {"tool": "math.add", "arguments": {"a": 2, "a": 3}, "goal": "add"}}',
    ADD,
  ]);
  const lines = whole.split('\n');
  const at = (kind: string) => lines.findIndex((line) => line.includes(`"kind":"${kind}"`));
  const edited = (index: number, edit: (line: string) => string) =>
    lines.map((line, each) => (each === index ? edit(line) : line)).join('\n');
  const { run_id = '', records, payloads } = parseExport(whole);
  const texts = records.map((_, index) => lines[index + 1] ?? '');
  const stray = {
    sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    bytes: encodeText('abc'),
  };
  const listed = [...payloads].map(([sha256, bytes]) => ({ sha256, bytes }));
  return {
    whole,
    'body-altered': edited(at('decision'), (line) => line.replace('"AUTHORIZED"', '"DENIED_CAPABILITY_DISABLED"')),
    'record-altered': edited(at('receipt'), (line) => line.replace(/"at":(\d+)/, '"at":1')),
    'record-malformed': edited(at('receipt'), (line) => line.replace('"kind":"receipt"', '"kind":"recipe"')),
    'payload-altered': edited(
      lines.findIndex((line) => line.startsWith('{"payload":')),
      (line) => line.replace('"text":"', '"text":"x'),
    ),
    'payload-unnamed': formatExport(run_id, texts, [...listed, stray]),
    'payload-missing': formatExport(
      run_id,
      texts,
      listed.filter(({ bytes }) => !new TextDecoder().decode(bytes).includes('"arguments"')),
    ),
    'record-removed': lines.filter((_, index) => index !== at('verdict')).join('\n'),
    'end-altered': edited(lines.length - 2, (line) => line.replace(/"count":(\d+)/, '"count":1')),
    'end-cut': `${lines.slice(0, at('observation')).join('\n')}\n`,
    'header-altered': edited(0, (line) => line.replace('sallyport-export/1', 'sallyport-export/0')),
    'decision-rewritten': rewrite(whole, ({ kind, body }) =>
      kind === 'decision' ? { ...body, decision: 'DENIED_POLICY_VIOLATION' } : body,
    ),
    'result-rewritten': rewriteResult(whole),
    'fuel-rewritten': rewrite(whole, ({ kind, body }) => (kind === 'receipt' ? withMoreFuel(body) : body)),
    'engine-other': rewrite(whole, ({ kind, body }) =>
      kind === 'configuration' ? { ...body, engine: { name: 'another engine', hash: 'e'.repeat(64) } } : body,
    ),
    'behaviour-other': rewrite(whole, ({ kind, body }) =>
      kind === 'configuration' ? { ...body, behaviour: BEHAVIOUR + 1 } : body,
    ),
    asked: await additionOf([ADD], { mode: 'ask' }),
    private: await privateRun(),
    ...(await contentRun()),
    'proposal-too-long': await additionOf([`"${'x'.repeat(70_000)}"`, ADD], { limits: { proposalBytes: 65_000 } }),
    unrelated: '# A file that is no export\n',
  };
}

/**
 * Adds an operation of fuel to the receipt of a call. The receipt of a refused proposal has no fuel and stays as it is.
 */
function withMoreFuel(body: Rewritable['body']): Rewritable['body'] {
  const evidence = body['evidence'] as { readonly fuel?: number };
  return evidence.fuel === undefined ? body : { ...body, evidence: { ...evidence, fuel: evidence.fuel + 1 } };
}

/** Turns the sum 5 into 6 and makes every hash anew. */
function rewriteResult(text: string): string {
  const [sha256 = ''] =
    [...parseExport(text).payloads].find(([, bytes]) => new TextDecoder().decode(bytes) === '5') ?? [];
  return replacePayload(text, sha256, '6');
}

/** The vectors over new exports: anchors have the count and the head of the new file, and findings their new place. */
export async function renewVectors(vectors: readonly ExportVector[], exports: Exports): Promise<ExportVector[]> {
  const all: ExportVector[] = [];
  for (const vector of vectors) {
    const text = exports[vector.input.export] ?? '';
    const { anchor } = vector.input;
    const input =
      typeof anchor === 'object' ? { ...vector.input, anchor: await renewAnchor(anchor, text) } : vector.input;
    const { run_seq } = findingOf(await replayExport(text, 'anchor' in input ? { anchor: input.anchor } : {}));
    const expect = { ...vector.expect, ...(vector.expect.run_seq !== undefined && { run_seq }) };
    all.push({ ...vector, input, expect });
  }
  return all;
}

/** A head of zeros stands for the head of another run. */
async function renewAnchor(anchor: { readonly head: string }, text: string): Promise<{ count: number; head: string }> {
  const { records, head } = await replayExport(text);
  return { count: records, head: /^0+$/.test(anchor.head) ? anchor.head : head };
}
