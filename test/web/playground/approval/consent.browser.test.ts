import { signal } from '@preact/signals-core';
import { afterEach, expect, test, vi } from 'vitest';
import { encodeText } from '../../../../core/index.ts';
import '../../../../web/playground/approval/consent.ts';
import type { SignalView } from '../../../../web/playground/parts/signal-view.ts';

afterEach(() => document.body.replaceChildren());

const TASK = 'Read C:\\new.';
const PROPOSAL = '{"next_step":{"tool":"a","tool":"b"}}';
const REPLY =
  '{"status":"success","result":{"n":1.0,"text":"C:\\\\new\\nline","id":12345678901234567890},"advice":"x"}';

test('the texts that would leave are read when they are unfolded, and nothing of them is left out', async () => {
  const texts = { task: TASK, proposal: PROPOSAL, observation: REPLY };
  const payload = vi.fn(({ sha256 }: { readonly sha256: keyof typeof texts }) => ({
    state: 'there',
    bytes: encodeText(texts[sha256]),
  }));
  const records = Object.keys(texts).map((kind) => ({
    kind,
    body: kind === 'task' ? { text: { sha256: kind } } : { payload: { sha256: kind } },
  }));
  const consent = { origin: 'https://models.example', bytes: 1, bytes_max: 2, digest: 'd'.repeat(64) };
  const view = signal({ consent });
  const card = document.createElement('sp-consent') as SignalView;
  Object.assign(card, { store: { session: signal({ view, records: signal(records), payload }) } });
  document.body.append(card);
  await card.updateComplete;
  expect(payload).not.toHaveBeenCalled();
  const shown = (): readonly string[] =>
    [...card.renderRoot.querySelectorAll('#leaves pre')].map((each) => each.textContent ?? '');
  card.renderRoot.querySelector<HTMLElement>('#leaves summary')?.click();
  await expect.poll(shown).toHaveLength(3);
  const [task, proposal, reply] = shown().map((text) => text.replaceAll(/\s/gu, ''));
  expect([task, proposal]).toEqual([TASK, PROPOSAL].map((text) => text.replaceAll(/\s/gu, '')));
  expect(reply).toBe(REPLY.replace('\\nline', 'line').replaceAll(/\s/gu, ''));
  expect(shown()[2]).toContain('C:\\\\new\nline');
});
