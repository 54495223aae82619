import { expect, test } from 'vitest';
import { fromScript } from '../../../workers/node.ts';
import { emptyLog } from '../../../workers/store/memory/store.ts';
import { done, NOTE, put } from '../../runtime/note.ts';
import { replayed } from '../../runtime/replayed.ts';
import { openAt } from '../../runtime/shared.ts';

const GRANT = { capability: 'note.put', mode: 'allow' } as const;

test('a clock that is set back within a run or before its next process gives no earlier time', async () => {
  const clock = { now: Date.UTC(2026, 0, 1) };
  const log = emptyLog();
  const first = await openAt(clock, { capabilities: [NOTE], grants: [GRANT] }, log);
  const run = first.start({ dialect: 'xct', task: 'Note.', model: fromScript([put('tea'), put('milk')]) });
  await run.step();
  clock.now -= 3_600_000;
  await run.step();
  clock.now -= 3_600_000;
  const second = await openAt(clock, {}, log);
  const again = await second.resume(run.id, fromScript([put('sugar'), done]));
  await again.run();
  await again.result;
  const times = (await second.ledger.records(run.id)).flatMap(({ at, kind, body }) =>
    kind === 'decision' ? [at, body.now] : [at],
  );
  expect(new Set(times)).toEqual(new Set([Date.UTC(2026, 0, 1)]));
  const { checks } = await replayed(await second.ledger.export(run.id));
  expect(checks.filter(({ status }) => status === 'fail')).toEqual([]);
});

test('an expiry that has passed stays passed where the clock is set back', async () => {
  const clock = { now: 1_000_000 };
  const expires = clock.now + 1_000;
  const runtime = await openAt(clock, { capabilities: [NOTE], grants: [{ ...GRANT, expires }] });
  const model = fromScript([put('tea'), put('milk'), put('sugar'), done]);
  const run = runtime.start({ dialect: 'xct', task: 'Note.', model });
  await run.step();
  clock.now += 2_000;
  await run.step();
  clock.now -= 2_000;
  await run.run();
  await run.result;
  const codes = (await runtime.ledger.records(run.id)).flatMap(({ kind, body }) =>
    kind === 'decision' ? [body.code ?? body.decision] : [],
  );
  expect(codes).toEqual(['AUTHORIZED', 'grant_expired', 'grant_expired']);
});
