import { describe, expect, test } from 'vitest';
import { toolCapability } from '../../../core/capability/author.ts';
import { type Capability } from '../../../core/capability/capability.ts';
import { define } from '../../../core/capability/define.ts';
import { makeRegistry } from '../../../core/capability/registry.ts';
import { revertName, revertOf } from '../../../core/capability/revert.ts';
import { isRunId } from '../../../core/ledger/form.ts';
import type { LedgerRecord } from '../../../core/ledger/record.ts';
import {
  attemptsIn,
  planUndo,
  type RevertNow,
  revertArguments,
  type UndoRange,
  undoneRun,
  undoRunId,
} from '../../../core/undo/plan.ts';
import { must } from '../validator.ts';

const texts = new Map<string, string>();
/** A payload with this text. */
function ref(text: string) {
  const sha256 = texts.size.toString(16).padStart(64, '0');
  texts.set(sha256, text);
  return { sha256, bytes: text.length };
}
const record = (kind: string, body: object) =>
  ({ at: 1, kind, run_id: 'run', run_seq: 0, body }) as unknown as LedgerRecord;

const tool = (name: string, canRevert = true): Capability =>
  must(
    define(
      toolCapability(
        { name, version: '1.0.0', description: '', args: {}, effect: 'write' },
        canRevert ? () => 0 : undefined,
      ),
    ),
  );
const [write, fixed] = [tool('write'), tool('fixed', false)];
const registry = must(makeRegistry([write, fixed]));
const start = record('configuration', {
  registry: ref(registry.text),
  registry_hash: registry.hash,
  labels: ['private'],
});

type End = { readonly reason?: string; readonly ended_by?: string; readonly cut?: true };
/** The records of a call of a tool: cut off before its receipt, failed, or with its number as its result. */
function call(
  step: number,
  { hash, manifest }: Capability,
  { reason, ended_by, cut }: End = {},
): readonly LedgerRecord[] {
  const place = { step, step_id: `id${step}` };
  const own = { capability: manifest.name, capability_hash: hash };
  const end = {
    receipt: { status: reason ? 'FAILURE' : 'SUCCESS', actions: [{ result: reason ? {} : ref(String(step)) }] },
    evidence: {
      step,
      labels: [],
      ...(reason && { reason: { class: 'run', code: reason } }),
      ...(ended_by && { ended_by }),
    },
  };
  return [
    record('proposal', { ...place, payload: ref('x') }),
    record('verdict', { ...place, ...own, accepted: true, kind: 'call', args: ref(`{"n":${step}}`) }),
    record('intent', { ...place, ...own, args_hash: '', effect: 'write' }),
    ...(cut ? [] : [record('receipt', end)]),
  ];
}

const known: RevertNow = (_, hash) => (hash === fixed.hash ? 'no_revert' : undefined);
function planned(
  records: readonly LedgerRecord[],
  range: UndoRange = {},
  undos: readonly (readonly LedgerRecord[])[] = [],
  now = known,
) {
  const find = ({ sha256 }: { sha256: string }) => {
    const text = texts.get(sha256);
    return text === undefined ? undefined : new TextEncoder().encode(text);
  };
  return must(planUndo({ records: [start, ...records], find }, range, now, attemptsIn(undos)));
}
const steps = (rows: readonly { readonly step: number }[]) => rows.map(({ step }) => step);

describe('the plan of an undo', () => {
  const three = [call(1, write), call(2, write), call(3, write)].flat();

  test.each<[UndoRange, readonly number[], number]>([
    [{}, [3, 2, 1], 0],
    [{ back_to: 0 }, [3, 2, 1], 0],
    [{ back_to: 2 }, [3], 0],
    [{ step: 2 }, [2], 1],
  ])('%j takes back %j, and tells %i later calls', (range, expected, later) => {
    const { calls, barriers, later_calls, labels } = planned(three, range);
    expect([steps(calls), barriers, later_calls, labels]).toEqual([expected, [], later, ['private']]);
  });

  test('a revert is given the arguments, the result, and the place of the call', () => {
    const [newest] = planned(three).calls;
    expect(newest && revertArguments('run', newest)).toEqual({
      args: { n: 3 },
      result: 3,
      call: { run_id: 'run', step: 3, step_id: 'id3' },
    });
  });

  test.each<[string, End, string | undefined]>([
    ['was cut off', { cut: true }, 'open'],
    ['was interrupted', { reason: 'interrupted' }, 'unknown'],
    ['ended by its deadline', { reason: 'deadline_exceeded', ended_by: 'deadline' }, 'unknown'],
    ['gave no result that fits', { reason: 'result_schema', ended_by: 'result' }, 'unknown'],
    ['threw to its program', { reason: 'host_failed', ended_by: 'program' }, 'unknown'],
    ['said that it failed', { reason: 'capability_threw', ended_by: 'threw' }, undefined],
  ])('a call that %s', (_, end, reason) => {
    const records = [...call(1, write), ...call(2, write, end)];
    expect(planned(records).barriers).toEqual(reason ? [{ step: 2, capability: 'write', reason }] : []);
    expect(planned(records, { step: 2 }).barriers[0]?.reason).toBe(reason ?? 'failed');
    expect(steps(planned(records, { step: 1 }).calls)).toEqual([1]);
  });

  test('a call without a revert, changed, gone or erased stands in the way', () => {
    const records = [...call(1, write), ...call(2, fixed)];
    expect(planned(records).barriers).toEqual([{ step: 2, capability: 'fixed', reason: 'no_revert' }]);
    for (const reason of ['changed', 'gone'] as const)
      expect(planned(records, { step: 1 }, [], () => reason).barriers).toEqual([
        { step: 1, capability: 'write', reason },
      ]);
    const erased = call(3, write);
    texts.delete([...texts.keys()].at(-1) ?? '');
    expect(planned(erased).barriers).toEqual([{ step: 3, capability: 'write', reason: 'erased' }]);
  });

  test('of an undo counts what has succeeded; what failed can be tried again, and what was cut off cannot', () => {
    const revert = must(revertOf(write));
    const undoes = undoneRun('run', {}, planned(three), 0);
    const undo = (...ends: readonly (readonly LedgerRecord[])[]) => [
      { ...record('configuration', { undoes }), run_id: 'undo' } as LedgerRecord,
      ...ends.flat(),
    ];
    const failed = undo(call(1, revert), call(2, revert, { reason: 'capability_threw', ended_by: 'threw' }));
    const { calls, before } = planned(three, {}, [failed]);
    expect([steps(calls), before]).toEqual([[2, 1], [{ step: 3, capability: 'write', run_id: 'undo' }]]);
    const cut = undo(call(1, revert), call(2, revert, { reason: 'interrupted' }));
    expect(planned(three, {}, [cut]).barriers).toEqual([{ step: 2, capability: 'write', reason: 'unknown' }]);
    const open = undo(call(1, revert, { cut: true }));
    expect(planned(three, {}, [open]).barriers).toEqual([{ step: 3, capability: 'write', reason: 'open' }]);
  });
});

describe('a revert', () => {
  test('belongs to the hash of its tool, and names the definition whose calls it takes back', () => {
    expect(tool('same').hash).not.toBe(tool('same', false).hash);
    expect(must(revertOf(write)).manifest).toMatchObject({
      name: 'revert.write',
      effect: 'write',
      host: { reverts: write.hash },
    });
    expect(must(revertOf(write)).manifest.host).not.toHaveProperty('revert');
  });

  test('has a name that fits, also for the longest name', () => {
    const names = ['a', 'b'].map((end) => revertName('x'.repeat(63) + end));
    expect([names.map(({ length }) => length), new Set(names).size]).toEqual([[64, 64], 2]);
  });

  test('of a run and a number the id of the undo follows, and is the id of a run', () => {
    const ids = [undoRunId('a', 0), undoRunId('a', 1), undoRunId('b', 0)];
    expect([new Set(ids).size, ids.every((id) => isRunId(id)), undoRunId('a', 0)]).toEqual([3, true, ids[0]]);
  });
});
