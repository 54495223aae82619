import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { effect, signal } from '@preact/signals-core';
import { expect, test } from 'vitest';
import type { ExportBlob } from '../../../../web/playground/files/export-blob.ts';
import { openFileWork } from '../../../../web/playground/files/file-work.ts';
import type { Playground } from '../../../../web/playground/playground.ts';
import type { StorageTask } from '../../../../web/playground/storage/storage-dialog.ts';
import { openStorageDialog } from '../../../../web/playground/storage/storage-dialog.ts';
import type { RunRow } from '../../../../workers/api.ts';
import { fromScript } from '../../../../workers/bridges/models/script.ts';
import { openRuntime } from '../../../runtime/shared.ts';

const directory = (): string => mkdtempSync(join(tmpdir(), 'sallyport-dialog-'));

/** A ledger with a finished run. */
async function ledgerIn(place: string, task: string) {
  const runtime = await openRuntime({ store: { directory: place } });
  await runtime.start({ dialect: 'xct', task, model: fromScript([{ done: true, message: 'done' }]) }).result;
  return runtime;
}

test('a replacement can be stopped and leaves the ledger, and the page begins anew only when it is done', async () => {
  const [here, there] = [directory(), directory()];
  const source = await ledgerIn(there, 'theirs');
  const backup = await source.storage.backup();
  const runtime = await ledgerIn(here, 'ours');
  const before = (await runtime.runs()).map(({ run_id }) => run_id);
  const store = { runtime, listRuns: () => undefined, session: signal(undefined) } as unknown as Playground;
  const dialog = openStorageDialog(store);
  const seen: (StorageTask | undefined)[] = [];
  let isStopped = false;
  effect(() => {
    const task = dialog.under.value;
    seen.push(task);
    if (!isStopped && (task?.share ?? 0) > 0.7) {
      isStopped = true;
      task?.stop?.();
    }
    if (task !== undefined) expect(dialog.over.peek()).toBe(false);
  });
  const replace = async (): Promise<void> => {
    dialog.question.value = { act: 'replace', backup, name: 'their.backup' };
    await dialog.confirm();
  };
  await replace();
  expect(dialog.said.value?.text).toBe('Stopped. Nothing was changed.');
  expect(dialog.over.value).toBe(false);
  expect((await runtime.runs()).map(({ run_id }) => run_id)).toEqual(before);
  await replace();
  expect(dialog.said.value).toMatchObject({ tone: 'good', text: 'Replaced by the backup.' });
  expect(dialog.over.value).toBe(true);
  const again = await openRuntime({ store: { directory: here } });
  const theirs = (await source.runs()).map(({ run_id }) => run_id);
  expect((await again.runs()).map(({ run_id, foreign }) => [run_id, foreign])).toEqual(theirs.map((id) => [id, true]));
  expect(new Set(seen.map((task) => task?.share)).size).toBeGreaterThan(2);
  await Promise.all([source.close(), again.close()]);
});

test('the storage dialog tells the added files, and what a run holds', async () => {
  const runtime = await ledgerIn(directory(), 'ours');
  await runtime.content.add([{ path: 'notes/a.md', bytes: new TextEncoder().encode('# A\nSalt\n') }]);
  const work = openFileWork();
  const files = { call: async (_: 'parts', [file]: readonly [ExportBlob]) => work.parts(() => undefined, file) };
  const store = { runtime, files, listRuns: () => undefined, session: signal(undefined) } as unknown as Playground;
  const dialog = openStorageDialog(store);
  await dialog.refresh();
  expect(dialog.kept.value).toEqual({
    added: { files: 1, bytes: 9 },
    models: [],
    smallModel: undefined,
    page: undefined,
  });
  const [run] = await runtime.runs();
  await dialog.look(run as RunRow);
  expect(dialog.said.value).toMatchObject({
    tone: 'good',
    text: expect.stringMatching(
      /^Run [0-9a-f]{8} holds \d records\. Texts: \d \([\d.]+ (?:bytes|KB)\); private texts: 0 \(0 bytes\); secret texts: 0/u,
    ) as unknown,
  });
  await runtime.close();
});
