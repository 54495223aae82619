import { signal } from '@preact/signals-core';
import { afterEach, expect, test, vi } from 'vitest';
import { exportBlob } from '../../../../web/playground/files/export-blob.ts';
import { openFileWorker } from '../../../../web/playground/files/file-worker.ts';
import type { SendDialog } from '../../../../web/playground/send/send-dialog.ts';
import '../../../../web/playground/send/send-dialog.ts';
import { largeExport } from './large-exports.ts';

afterEach(() => {
  vi.restoreAllMocks();
  document.body.replaceChildren();
});

/** The dialog, open for this export. */
async function opened(text: string): Promise<ShadowRoot> {
  const dialog = document.createElement('sp-send') as SendDialog;
  const file = exportBlob(text);
  const facts = { report: signal(undefined), against: signal({}), held: signal(false), isFalsified: true };
  dialog.store = { files: openFileWorker() } as never;
  document.body.append(dialog);
  await dialog.open({ ...facts, exported: async () => file });
  await dialog.updateComplete;
  return dialog.shadowRoot as ShadowRoot;
}

function button(root: ShadowRoot, id: string): HTMLButtonElement {
  return root.querySelector(`#${id}`) as HTMLButtonElement;
}

test.each(['bytes', 'noise'] as const)('a run that is too large for a link is saved as a file: %s', async (kind) => {
  const text = largeExport(kind);
  const root = await opened(text);
  await expect.poll(() => root.querySelector('#size')?.textContent).toMatch(/^Too large for a link: /u);
  expect(root.querySelector('#size')?.textContent).toContain('Save the file instead.');
  expect(button(root, 'link-make').ariaDisabled).toBe('true');
  button(root, 'link-make').click();
  await new Promise((turn) => setTimeout(turn, 20));
  expect(root.querySelector('#link')).toBeNull();

  const files: Blob[] = [];
  vi.spyOn(URL, 'createObjectURL').mockImplementation((file) => `blob:${files.push(file as Blob)}`);
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined);
  expect(button(root, 'save').ariaDisabled).toBe('false');
  button(root, 'save').click();
  expect(await files[0]?.text()).toBe(text);
});

test('a dialog that is opened for another run offers nothing of the run before', async () => {
  const root = await opened(largeExport('noise'));
  await expect.poll(() => button(root, 'save').ariaDisabled).toBe('false');
  const facts = { report: signal(undefined), against: signal({}), held: signal(false), isFalsified: false };
  void (root.host as SendDialog).open({ ...facts, exported: () => new Promise(() => undefined) });
  await expect.poll(() => button(root, 'save').ariaDisabled).toBe('true');
});
