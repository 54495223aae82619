import { signal } from '@preact/signals-core';
import { afterEach, expect, test } from 'vitest';
import { verifyExport } from '../../../../core/index.ts';
import { exportBlob } from '../../../../web/playground/files/export-blob.ts';
import type { ReportView } from '../../../../web/playground/inspector/report-view.ts';
import '../../../../web/playground/inspector/report-view.ts';

afterEach(() => document.body.replaceChildren());

/** What the button *Open in Audit* opens for this session. */
async function openedFrom(session: object): Promise<readonly unknown[]> {
  const opened: unknown[] = [];
  const audit = {
    openRun: async (id: string) => void opened.push('the run', id),
    openFile: async (file: File) => void opened.push('the file', file.name, file.size),
  };
  const view = document.createElement('sp-report') as ReportView;
  const report = signal(verifyExport(''));
  view.store = { audit, view: signal('run'), session: signal({ id: 'an-id', report, ...session }) } as never;
  document.body.append(view);
  await view.updateComplete;
  view.shadowRoot?.querySelector<HTMLButtonElement>('.actions button')?.click();
  return opened;
}

test('Open in Audit opens a file, and the run of this device', async () => {
  const file = exportBlob('a text');
  expect(await openedFrom({ file, fileName: 'a.run.jsonl' })).toEqual(['the file', 'a.run.jsonl', 6]);
  expect(await openedFrom({})).toEqual(['the run', 'an-id']);
});

test('the verdict of the panel has the colour and the sentence of its state', async () => {
  const checks = verifyExport('').checks.map(({ id }) => ({ id, status: 'pass', count: 1 }) as const);
  const report = { ok: true, records: 7, head: 'ab', root: '', checks };
  const first = { run_seq: 7, code: 'anchor_of_store', message: 'Compared only with its store.' } as const;
  const own = checks.map((check) =>
    check.id === 'anchor' ? ({ ...check, status: 'not_run', skipped: { count: 1, first } } as const) : check,
  );
  const drawn = async (shown: object): Promise<readonly unknown[]> => {
    const view = document.createElement('sp-report') as ReportView;
    view.store = { session: signal({ id: 'an-id', report: signal({ ...report, ...shown }) }) } as never;
    document.body.append(view);
    await view.updateComplete;
    const verdict = view.shadowRoot?.querySelector('.verdict');
    return [verdict?.className, verdict?.textContent?.trim()];
  };
  const states = [
    await drawn({}),
    await drawn({ checks: own }),
    await drawn({ checks: own.map((check) => (check.id === 'anchor' ? { ...check, skipped: undefined } : check)) }),
    await drawn({ ok: false }),
  ];
  expect(states.map(([name]) => name)).toEqual(['verdict good', 'verdict own', 'verdict wait', 'verdict bad']);
  expect(new Set(states.map(([, said]) => said)).size).toBe(4);
});
