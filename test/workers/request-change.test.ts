import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ModelMessage, ModelRequest } from '../../workers/api.ts';
import { changedRequests, requestChanges } from '../../workers/request-change.ts';

const said = (content: string): ModelMessage => ({ role: 'user', kind: 'observation', content });
const TERMS = { dialect: 'xct', tools: [], proposalSchema: {}, maxTokens: 9 } as const;
const [OPENING, TASK, ...LATER] = ['opening', 'task', 'a', 'b', 'c', 'd'].map(said) as [ModelMessage, ModelMessage];

function request(messages: readonly ModelMessage[], more: Partial<ModelRequest> = {}): ModelRequest {
  return { ...TERMS, messages, ...more };
}

/** A channel: what comes out is a copy. */
function channel() {
  const [change, read] = [requestChanges(), changedRequests()];
  const changes: ReturnType<typeof change>[] = [];
  const send = (each: ModelRequest) => {
    const made = change(each);
    changes.push(made);
    return read(structuredClone(made));
  };
  return { send, changes };
}

test('a later request carries its new messages alone, and leaves out the terms', () => {
  const { send, changes } = channel();
  const first = request([OPENING, TASK, ...LATER.slice(0, 2)]);
  const second = request([OPENING, TASK, ...LATER.slice(1, 4)]);
  expect(send(first)).toEqual(first);
  expect(send(second)).toEqual(second);
  expect(changes[1]).toEqual({
    kept: [
      [0, 2],
      [3, 4],
    ],
    added: LATER.slice(2, 4),
  });
});

test('other terms cross again', () => {
  const { send, changes } = channel();
  send(request([OPENING]));
  const offered = request([OPENING], { tools: [{ name: 'math.add', description: '', args: {} }] });
  expect(send(offered)).toEqual(offered);
  expect(changes[1]).toHaveProperty('terms');
  expect(send(request([OPENING], { seed: 1 }))).toEqual(request([OPENING], { seed: 1 }));
});

test('every sequence of requests arrives as it was sent', () => {
  const pool = Array.from({ length: 6 }, (_, at) => said(`message ${at}`));
  const lists = fc.array(fc.array(fc.constantFrom(...pool), { maxLength: 8 }), { maxLength: 8 });
  fc.assert(
    fc.property(lists, (all) => {
      const { send } = channel();
      for (const messages of all) expect(send(request(messages))).toEqual(request(messages));
    }),
  );
});

test('a model may change the list of a request, but no message', () => {
  const { send } = channel();
  const { messages } = send(request([OPENING, TASK]));
  (messages as ModelMessage[]).length = 0;
  expect(send(request([OPENING, TASK])).messages).toEqual([OPENING, TASK]);
  expect(() => Object.assign(send(request([OPENING])).messages[0] as object, { content: '' })).toThrow(TypeError);
});
