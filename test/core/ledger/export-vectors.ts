import { encodeText, formatExport, parseExport } from '../../../core/index.ts';
import { defineCapability, fromScript, openRuntime } from '../../../workers/node.ts';
import { type Rewritable, replacePayload, rewrite } from '../replay/rewrite.ts';

/**
 * Makes the files of `test/vectors/exports`: a run of three steps, and the same file altered in a single way each. Run
 * ids and times differ each time, so the files are made once, by `SALLYPORT_WRITE_VECTORS=1 npx vitest run
 * test/core/ledger/vectors.node.test.ts`, and kept.
 */
export async function makeExports(): Promise<{ readonly [name: string]: string }> {
  const whole = await exportOf(['{"next_step": {"tool": "math.add", "arguments": {"a": 2, "a": 3}, "goal": "add"}}']);
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
    'behaviour-1': rewrite(whole, ({ kind, body }) => (kind === 'configuration' ? { ...body, behaviour: 1 } : body)),
    'proposal-too-long': await exportOf([`"${'x'.repeat(70_000)}"`], { proposalBytes: 65_000 }),
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

async function exportOf(first: readonly string[], limits = {}): Promise<string> {
  const add = defineCapability({
    ...{ name: 'math.add', version: '1.0.0', description: 'Adds two numbers.', effect: 'pure' },
    args: { type: 'object', required: ['a', 'b'], properties: { a: { type: 'number' }, b: { type: 'number' } } },
    run: ({ a, b }) => a + b,
  });
  const runtime = await openRuntime({ capabilities: [add], grants: [{ capability: 'math.add', mode: 'allow' }] });
  const call = { next_step: { tool: 'math.add', arguments: { a: 2, b: 3 }, goal: 'add' } };
  const model = fromScript([...first, call, { done: true, message: 'The sum is 5.' }]);
  const run = runtime.start({ dialect: 'xct', task: 'Add 2 and 3.', model, limits });
  await run.result;
  const text = await runtime.ledger.export(run.id);
  await runtime.close();
  return text;
}
