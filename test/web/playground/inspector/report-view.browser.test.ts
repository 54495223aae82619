import { signal } from '@preact/signals-core';
import { afterEach, expect, test } from 'vitest';
import { verifyExport } from '../../../../core/index.ts';
import type { ReportView } from '../../../../web/playground/inspector/report-view.ts';
import '../../../../web/playground/inspector/report-view.ts';

afterEach(() => document.body.replaceChildren());

/** What the button *Open in Audit* opens for this session. */
async function openedFrom(session: object): Promise<readonly unknown[]> {
  const opened: unknown[] = [];
  const audit = {
    openRun: async (id: string) => void opened.push('the run', id),
    openText: async (title: string, text: string) => void opened.push('the text', title, text),
  };
  const view = document.createElement('sp-report') as ReportView;
  const report = signal(verifyExport(''));
  view.store = { audit, view: signal('run'), session: signal({ id: 'an-id', report, ...session }) } as never;
  document.body.append(view);
  await view.updateComplete;
  view.shadowRoot?.querySelector<HTMLButtonElement>('.actions button')?.click();
  return opened;
}

test('Open in Audit opens the text of a file, and the run of this device', async () => {
  expect(await openedFrom({ text: 'a text', fileName: 'a.run.jsonl' })).toEqual(['the text', 'a.run.jsonl', 'a text']);
  expect(await openedFrom({})).toEqual(['the run', 'an-id']);
});
