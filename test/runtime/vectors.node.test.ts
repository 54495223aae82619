import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as core from '../../core/index.ts';
import { callOf } from '../../web/selftest/conformance.ts';
import type { Run, Runtime } from '../../workers/api.ts';
import { fromScript } from '../../workers/node.ts';
import { bytesOf, type Part, vectors } from '../core/vectors.ts';
import { openRuntime } from './shared.ts';

const cases = (file: string) => vectors(file).map((vector) => [vector.name, vector.clause, vector] as const);

describe('a capability call', () => {
  test.each(cases('calls'))('a capability call %s (%s)', async (_name, _clause, { input, expect: expected }) => {
    const { guest: _guest, ...told } = expected;
    const runtime = await openRuntime({ guard: false });
    expect(await callOf(runtime, { input })).toEqual(told);
    await runtime.close();
  });
});

describe('a program', () => {
  let runtime: Runtime;
  beforeAll(async () => {
    // The first runtime compiles the engine, which this test does not measure.
    await (await openRuntime()).close();
  });
  afterAll(() => runtime?.close());

  test.each(cases('programs'))('a program %s (%s)', async (_name, _clause, { input, expect: expected }) => {
    await runtime?.close();
    runtime = await openRuntime();
    const program = input['program'] as unknown as readonly { readonly call: string; readonly with: unknown[] }[];
    expect({ code: await lastCode(runtime, program) }).toEqual(expected);
  });
});

/** Makes the calls one after the other. All calls but the last must succeed; returns the code of the last. */
async function lastCode(
  runtime: Runtime,
  program: readonly { readonly call: string; readonly with: unknown[] }[],
): Promise<string | undefined> {
  const things: { [name: string]: unknown; run?: Run } = { runtime, core };
  for (const [index, { call, with: given }] of program.entries()) {
    const code = await codeOf(async () => {
      const [root = '', ...path] = call.split('.');
      const last = path.pop() ?? '';
      const owner = path.reduce<unknown>((value, name) => (value as never)[name], things[root]);
      const member = (owner as { readonly [name: string]: unknown })[last];
      const result = typeof member === 'function' ? callOn(owner, member, given, things.run?.id) : member;
      if (call === 'runtime.start') things.run = result as Run;
      return result;
    });
    if (index === program.length - 1) return code;
    expect(code, call).toBeUndefined();
  }
  return undefined;
}

function callOn(owner: unknown, method: unknown, given: readonly unknown[], run_id: string | undefined): unknown {
  return Reflect.apply(
    method as () => unknown,
    owner,
    given.map((each) => valueOf(each, run_id)),
  );
}

/** The code of the error that is thrown, or of the refusal that is returned. */
async function codeOf(act: () => Promise<unknown>): Promise<string | undefined> {
  try {
    const value = await act();
    return core.isObject(value) && value['ok'] === false ? (value as unknown as core.Refused).refusal.code : undefined;
  } catch (error) {
    if (error instanceof core.SallyportError) return error.code;
    throw error;
  }
}

/** Values that JSON cannot express: bytes, a model, the id of the run, and values of the host. */
function valueOf(value: unknown, run_id: string | undefined): unknown {
  if (Array.isArray(value)) return value.map((each) => valueOf(each, run_id));
  if (!core.isObject(value)) return value;
  if ('part' in value) return bytesOf(value['part'] as unknown as Part);
  if ('script' in value) return fromScript(value['script'] as never);
  if ('run' in value) return run_id;
  if ('host' in value) return value['host'] === 'NaN' ? Number.NaN : () => 1;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, valueOf(each, run_id)]));
}
