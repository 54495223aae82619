import * as conventions from '@opentelemetry/semantic-conventions/incubating';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { derive } from '../../../core/telemetry/derive.ts';
import { ATTRIBUTES } from '../../../core/telemetry/event.ts';
import { toOtlp } from '../../../core/telemetry/otlp.ts';
import genai from './genai-names.json' with { type: 'json' };
import { play } from './run.ts';
import { worlds } from './worlds.ts';

/** The names of OpenTelemetry's semantic conventions 1.45, as its package for JavaScript has them. */
const values = (prefix: string) =>
  new Set<string>(
    Object.entries(conventions).flatMap(([name, value]) =>
      // a name with a variable part is a function
      name.startsWith(prefix) && typeof value === 'string' ? [value] : [],
    ),
  );
const NAMES = values('ATTR_');
/** Attributes of the adapters, the resource and the content, which no generated run has. */
const FURTHER = [
  'gen_ai.input.messages',
  'gen_ai.output.messages',
  'gen_ai.tool.call.arguments',
  'gen_ai.tool.call.result',
  'server.address',
  'server.port',
  'service.name',
];

test('every attribute of a span has a name of the conventions, or begins with sallyport.', () => {
  const keys = new Set([...Object.values(ATTRIBUTES), ...FURTHER]);
  const operations = new Set<string>();
  for (const world of fc.sample(worlds, { numRuns: 100, seed: 7 })) {
    const events = play(world).moments.flatMap(({ before, event, after, effects }) =>
      derive(before, event, after, effects),
    );
    const { traces } = toOtlp(events.map((event, seq) => ({ seq, timestamp: seq, event })));
    for (const { attributes } of traces.resourceSpans[0].scopeSpans[0].spans)
      for (const { key, value } of attributes) {
        keys.add(key);
        if (key === 'gen_ai.operation.name') operations.add(String(Object.values(value)[0]));
      }
  }
  expect([...keys].filter((key) => !key.startsWith('sallyport.') && !NAMES.has(key))).toEqual([]);
  // the conventions for GenAI have moved to a repository of their own, which no package follows
  const ofModels = [...keys].filter((key) => key.startsWith('gen_ai.')).sort();
  expect(ofModels).toEqual(genai.attributes);
  const known = values('GEN_AI_OPERATION_NAME_VALUE_');
  expect([...operations].sort()).toEqual(['chat', 'execute_tool', 'invoke_agent']);
  expect([...operations].filter((operation) => !known.has(operation))).toEqual([]);
});

test('no name of our own stands in a namespace of the conventions', () => {
  expect([...NAMES].filter((name) => name.startsWith('sallyport.'))).toEqual([]);
  expect(NAMES.size).toBeGreaterThan(500);
});
