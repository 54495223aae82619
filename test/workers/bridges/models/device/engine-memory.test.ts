import { describe, expect, test } from 'vitest';
import { assertEngineMemory } from '../../../../../workers/bridges/models/device/engine.ts';

/** The memory that was asked for. */
interface Asked {
  readonly address?: string;
  readonly initial?: bigint;
}

function memory(asked: Asked[], error?: Error): typeof WebAssembly.Memory {
  return class {
    constructor(descriptor: Asked) {
      asked.push(descriptor);
      if (error !== undefined) throw error;
    }
  } as unknown as typeof WebAssembly.Memory;
}

describe('the memory of an engine', () => {
  test('is asked for in whole pages of 64 KB, with addresses of 64 bits', () => {
    const asked: Asked[] = [];
    assertEngineMemory(65_536, memory(asked));
    assertEngineMemory(65_537, memory(asked));
    expect(asked).toEqual([
      { address: 'i64', initial: 1n },
      { address: 'i64', initial: 2n },
    ]);
  });

  test.each([
    ['has no room for it', new RangeError('could not allocate memory'), 'no_memory'],
    ['has no memory of 64 bits', new TypeError('Cannot convert a BigInt value to a number'), 'no_memory64'],
  ])('fails with a ModelError where the browser %s', (_, error, fault) => {
    expect(() => assertEngineMemory(65_536, memory([], error))).toThrow(
      expect.objectContaining({ code: 'model_failed', retryable: false, details: { fault } }),
    );
  });

  test('is given by a browser, and by Node where it has memories of 64 bits', () => {
    const isOld = 'process' in globalThis && Number(process.versions.node.split('.')[0]) < 24;
    const given = (): void => assertEngineMemory(2 ** 20);
    if (isOld) expect(given).toThrow(expect.objectContaining({ details: { fault: 'no_memory64' } }));
    else expect(given).not.toThrow();
  });
});
