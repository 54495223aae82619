import { signal } from '@preact/signals-core';
import { afterEach, expect, test, vi } from 'vitest';
import { limitsHere, threadsHere } from '../../../../web/playground/models/gguf-model.ts';
import { GgufPanel } from '../../../../web/playground/models/gguf-panel.ts';
import { openModelChoice } from '../../../../web/playground/models/model-choice.ts';
import type { Playground } from '../../../../web/playground/playground.ts';
import tinyUrl from '../../../fixtures/tiny-model/tiny-q8_0.gguf?url';

const stubbed: string[] = [];

/** Replaces a member of the navigator until the test ends. */
function stub(name: string, value: unknown): void {
  stubbed.push(name);
  Object.defineProperty(navigator, name, { configurable: true, value });
}

afterEach(() => {
  vi.unstubAllGlobals();
  for (const name of stubbed.splice(0)) Reflect.deleteProperty(navigator, name);
  document.body.replaceChildren();
});

/** A panel in the page. Its store has the members that the panel reads. */
function mount(): GgufPanel {
  const panel = new GgufPanel();
  panel.store = { models: openModelChoice(signal(undefined)), chosen: signal('policy') } as unknown as Playground;
  document.body.append(panel);
  return panel;
}

const textOf = (panel: GgufPanel): string => panel.shadowRoot?.textContent ?? '';

test.each([
  ['an adapter', { requestAdapter: () => Promise.resolve({}) }, 'This browser has WebGPU;'],
  ['WebGPU and no adapter', { requestAdapter: () => Promise.resolve(null) }, 'There is no WebGPU here;'],
  [
    'WebGPU that is turned off',
    { requestAdapter: () => Promise.reject(new TypeError('off')) },
    'There is no WebGPU here;',
  ],
  ['no WebGPU', undefined, 'There is no WebGPU here;'],
])('a browser with %s says so', async (_, gpu, sentence) => {
  stub('gpu', gpu);
  const panel = mount();
  await vi.waitUntil(() => textOf(panel).includes(sentence));
  expect(textOf(panel).match(/WebGPU/g)).toHaveLength(1);
});

test('the panel says nothing about WebGPU before the browser has answered', async () => {
  stub('gpu', { requestAdapter: () => new Promise(() => undefined) });
  const panel = mount();
  await panel.updateComplete;
  expect(textOf(panel)).toContain('4 GB at most');
  expect(textOf(panel)).not.toContain('WebGPU');
});

test.each([
  [2, 1.5],
  [4, 3],
])('a device with %i GB has %d GB for a model', (deviceMemory, gigabytes) => {
  stub('deviceMemory', deviceMemory);
  expect(limitsHere().memoryBytes).toBe(gigabytes * 2 ** 30);
});

test.each([[8], [undefined]])('a device with %s GB has as much for a model as the engine has addresses', (memory) => {
  stub('deviceMemory', memory);
  expect(limitsHere()).not.toHaveProperty('memoryBytes');
});

test('a file that needs more memory than the device has is refused in words', async () => {
  stub('deviceMemory', 0.125);
  const panel = mount();
  await panel.updateComplete;
  const bytes = await (await fetch(tinyUrl)).arrayBuffer();
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([bytes], 'tiny.gguf'));
  panel.shadowRoot?.querySelector('.drop')?.dispatchEvent(new DragEvent('drop', { dataTransfer }));
  await vi.waitUntil(() => /needs \d+ MB of memory, and 101 MB is the limit here/.test(textOf(panel)));
});

test('a panel whose server has no engine says so, in the place of the file that no engine could load', async () => {
  vi.stubGlobal('fetch', async (_: string, { method }: RequestInit = {}) => {
    return new Response(null, { status: method === 'HEAD' ? 404 : 500 });
  });
  const panel = mount();
  await vi.waitUntil(() => textOf(panel).includes('has no engine for GGUF models'));
  expect(panel.shadowRoot?.querySelector('.drop')).toBeNull();
});

test('a page that is not isolated from other origins has one thread', () => {
  stub('hardwareConcurrency', 8);
  expect(threadsHere()).toBe(crossOriginIsolated ? 4 : 1);
});
