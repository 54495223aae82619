import { define } from '../../core/capability/define.ts';
import { makeRegistry } from '../../core/capability/registry.ts';
import { canonicalText } from '../../core/json/canonical.ts';
import { encodeText } from '../../core/json/utf8.ts';
import type { JsonObject } from '../../core/json/value.ts';
import { DECODE_LIMITS } from '../../core/limits.ts';
import type { Dialect } from '../../core/protocol/dialect.ts';
import { type ReadingFacts, read } from '../../core/protocol/parse.ts';
import { verdictOn } from '../../core/protocol/verdict.ts';
import { VALIDATORS } from '../../core/schema/validators.generated.js';
import { withFiles } from '../../sandbox/capabilities/index.ts';
import { must } from './must.ts';
import { calls, race } from './race.ts';
import { type Row, rowsOf } from './table.ts';

interface Message {
  readonly name: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly goal: string;
}

const SHORT: Message = {
  name: '0.2 KB',
  tool: 'calc.eval',
  args: { expression: '(4100 + 500) / 10 + 17 * (12 - 7) - 3 / 8 + 99 - 4 * 25' },
  goal: 'Find out how many loaves the flour is good for until Saturday.',
};

/** Nested and escaped: ten conditions on a table of forty lines. */
const STRUCTURED: Message = {
  name: '2 KB, table and conditions',
  tool: 'csv.query',
  args: {
    text: `date,flour,kg,oven\n${Array.from({ length: 40 }, (_, i) => `2026-05-${10 + (i % 20)},rye,${i * 25},"${i % 3} north"`).join('\n')}`,
    where: Array.from({ length: 10 }, (_, i) => ({
      column: i % 2 === 0 ? 'flour' : 'kg',
      op: i % 2 === 0 ? 'contains' : 'ge',
      value: i % 2 === 0 ? 'rye' : i * 12.5,
    })),
    select: ['date', 'flour', 'kg'],
    limit: 50,
  },
  goal: 'See which days used rye.',
};

/** A long text without an escape. */
const PLAIN: Message = {
  name: '1.4 KB, one text',
  tool: 'text.count',
  args: { text: 'The bakery opens at seven and the first loaves leave the oven an hour before. '.repeat(16) },
  goal: 'Count the words of the notice.',
};

const WRITTEN: { readonly [D in 'femtoclaw' | 'xct']: (message: Message) => JsonObject } = {
  femtoclaw: ({ tool, args }) => ({ tool_call: { tool, args } }),
  xct: ({ tool, args, goal }) => ({ next_step: { tool, arguments: args, goal } }),
};

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** From bytes to a call whose arguments its schema accepts: steps 1 to 5 of FemtoClaw Protocol 10. */
export async function accept(rounds: number): Promise<Row[]> {
  const registry = must(makeRegistry(withFiles({}).map((manifest) => must(define(manifest)))));
  const rows: Row[] = [];
  for (const dialect of ['xct', 'femtoclaw'] as const) {
    for (const message of [SHORT, STRUCTURED, PLAIN]) {
      rows.push(...(await acceptOne(message, { dialect, registry, limits: DECODE_LIMITS }, rounds)));
    }
  }
  return rows;
}

async function acceptOne(message: Message, facts: ReadingFacts, rounds: number): Promise<Row[]> {
  const dialect: Dialect = facts.dialect;
  const text = JSON.stringify(WRITTEN[dialect as 'xct'](message));
  const bytes = encodeText(text);
  const accepted = acceptBytes(bytes, facts);
  if (canonicalText(accepted) !== canonicalText(message.args)) throw new Error(`${message.name}: other arguments`);
  const sides = [
    calls('strict', () => acceptBytes(bytes, facts)),
    calls('JSON.parse of the text', () => JSON.parse(text) as unknown),
    calls('TextDecoder + JSON.parse of the bytes', () => JSON.parse(decoder.decode(bytes)) as unknown),
  ];
  const what = `accept ${dialect}, ${message.name} (${bytes.length} B)`;
  return rowsOf(what, await race(sides, rounds), undefined, { ratio: 2.2 });
}

function acceptBytes(bytes: Uint8Array, facts: ReadingFacts): JsonObject {
  const outcome = must(read(bytes, facts));
  if (!('call' in outcome)) throw new Error('not a call');
  const { call, capability } = outcome.call;
  const validator = VALIDATORS.get(capability.schemas.args);
  if (validator === undefined) throw new Error(`${call.name} is not built in`);
  const verdict = verdictOn(outcome, { issues: validator(call.args) });
  if (!verdict.accepted || verdict.kind !== 'call') throw new Error('not accepted');
  return verdict.args;
}
