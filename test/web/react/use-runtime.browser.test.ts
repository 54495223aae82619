import { Activity, createElement, type ReactNode, Suspense, useState } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { describe, expect, test } from 'vitest';
import { openRuntime } from '../../../web/index.ts';
import { type RuntimeSnapshot, type RuntimeSource, useRuntime } from '../../../web/react.ts';
import type { Runtime } from '../../../workers/api.ts';
import { deferred } from '../../../workers/async.ts';
import { ErrorBoundary, mount, watchTrees } from './mounted.ts';

watchTrees();

/** A source that counts its openings. `gate` holds each of them back. */
function counted(gate: Promise<void> = Promise.resolve()) {
  const opened: Runtime[] = [];
  const source = async () => {
    await gate;
    const runtime = await openRuntime({ store: 'memory' });
    opened.push(runtime);
    return runtime;
  };
  return { opened, source };
}

const isClosed = (runtime: Runtime | undefined) =>
  runtime?.runs().then(
    () => false,
    () => true,
  );

function Status({ source, tell }: { source: RuntimeSource; tell?: (state: RuntimeSnapshot) => void }) {
  const state = useRuntime(source);
  tell?.(state);
  return state.status;
}

function Store({ source }: { source: RuntimeSource }) {
  return useRuntime(source, { suspense: true }).info.store.kind;
}

const suspended = (...nodes: readonly ReactNode[]) => createElement(Suspense, { fallback: 'opening' }, ...nodes);

describe('useRuntime', () => {
  test('a component in StrictMode opens one runtime, which closes after the component has unmounted', async () => {
    const { opened, source } = counted();
    const { container, unmount } = mount(createElement(Status, { source }));
    await expect.poll(() => container.textContent).toBe('ready');
    expect(opened).toHaveLength(1);
    expect(await isClosed(opened[0])).toBe(false);
    unmount();
    await expect.poll(() => isClosed(opened[0])).toBe(true);
  });

  test('components with the same source share a runtime, and the last of them closes it', async () => {
    const { opened, source } = counted();
    const status = (key: string) => createElement(Status, { key, source });
    const { container, render } = mount([status('a'), status('b')]);
    await expect.poll(() => container.textContent).toBe('readyready');
    render([status('b')]);
    await expect.poll(() => container.textContent).toBe('ready');
    // The runtime stays open for a component that replaces another.
    render([createElement('p', { key: 'c' }, status('c'))]);
    await expect.poll(() => container.querySelector('p')?.textContent).toBe('ready');
    expect(await isClosed(opened[0])).toBe(false);
    expect(opened).toHaveLength(1);
    render([]);
    await expect.poll(() => isClosed(opened[0])).toBe(true);
    render([status('d')]);
    await expect.poll(() => container.textContent).toBe('ready');
    expect(opened).toHaveLength(2);
  });

  test('a runtime whose component unmounts while it opens is closed when it is open', async () => {
    const { promise, resolve } = deferred<void>();
    const { opened, source } = counted(promise);
    const { container, unmount } = mount(createElement(Status, { source }));
    await expect.poll(() => container.textContent).toBe('opening');
    unmount();
    resolve();
    await expect.poll(() => opened.length).toBe(1);
    await expect.poll(() => isClosed(opened[0])).toBe(true);
  });

  test('a hidden activity closes its runtime, and opens another when it is visible', async () => {
    const { opened, source } = counted();
    const activity = (mode: 'hidden' | 'visible') =>
      createElement(Activity, { mode, children: createElement(Status, { source }) });
    const { container, render } = mount(activity('visible'));
    await expect.poll(() => container.textContent).toBe('ready');
    render(activity('hidden'));
    await expect.poll(() => isClosed(opened[0])).toBe(true);
    render(activity('visible'));
    await expect.poll(() => opened.length).toBe(2);
    await expect.poll(() => container.textContent).toBe('ready');
    expect(await isClosed(opened[1])).toBe(false);
  });

  test('options that are written inside a component open one runtime, and not one at each render', async () => {
    const seen = new Set<Runtime>();
    let again: () => void = () => undefined;
    function Inline() {
      const [count, setCount] = useState(0);
      again = () => setCount(count + 1);
      const { status, runtime } = useRuntime({ store: 'memory' });
      if (runtime !== undefined) seen.add(runtime);
      return `${status} ${count}`;
    }
    const { container } = mount(createElement(Inline));
    await expect.poll(() => container.textContent).toBe('ready 0');
    again();
    await expect.poll(() => container.textContent).toBe('ready 1');
    expect(seen.size).toBe(1);
  });

  test('a failed opening has its error, and retry opens the runtime', async () => {
    const { opened, source } = counted();
    let failures = 0;
    const states: RuntimeSnapshot[] = [];
    const failing = async () => {
      if (failures++ === 0) throw new Error('No engine.');
      return source();
    };
    const { container } = mount(createElement(Status, { source: failing, tell: (state) => void states.push(state) }));
    await expect.poll(() => container.textContent).toBe('failed');
    const last = states.at(-1);
    expect(last).toMatchObject({ status: 'failed', error: { message: 'No engine.' } });
    if (last?.status === 'failed') last.retry();
    await expect.poll(() => container.textContent).toBe('ready');
    expect(opened).toHaveLength(1);
  });

  test('an option of a wrong type fails with the code of openRuntime', async () => {
    const states: RuntimeSnapshot[] = [];
    const source = { store: 'disk' } as unknown as RuntimeSource;
    mount(createElement(Status, { source, tell: (state) => void states.push(state) }));
    await expect.poll(() => states.at(-1)).toMatchObject({ status: 'failed', error: { code: 'option_invalid' } });
  });

  test('a source that is neither options nor a function is refused', async () => {
    const source = undefined as unknown as RuntimeSource;
    const { container, caught } = mount(createElement(ErrorBoundary, null, createElement(Status, { source })));
    await expect.poll(() => container.textContent).toContain('The option source has to be the options of openRuntime');
    expect(caught).toEqual([expect.objectContaining({ code: 'option_invalid' })]);
  });

  test('a page that a server has rendered is hydrated without a warning', async () => {
    const { source } = counted();
    const container = document.body.appendChild(document.createElement('div'));
    container.innerHTML = renderToString(createElement(Status, { source }));
    expect(container.textContent).toBe('opening');
    const root = hydrateRoot(container, createElement(Status, { source }));
    await expect.poll(() => container.textContent).toBe('ready');
    root.unmount();
    container.remove();
  });
});

describe('useRuntime with suspense', () => {
  test('suspended components share a runtime, and go on when it is open', async () => {
    const { opened, source } = counted();
    const store = (key: string) => createElement(Store, { key, source });
    const { container, unmount } = mount(suspended(store('a'), store('b')));
    await expect.poll(() => container.textContent).toBe('opening');
    await expect.poll(() => container.textContent).toBe('memorymemory');
    expect(opened).toHaveLength(1);
    unmount();
    await expect.poll(() => isClosed(opened[0])).toBe(true);
  });

  test('the error of a failed opening reaches the boundary of errors', async () => {
    const source = () => Promise.reject(new Error('No engine.'));
    const { container, caught } = mount(
      createElement(ErrorBoundary, null, suspended(createElement(Store, { source }))),
    );
    await expect.poll(() => container.textContent).toBe('No engine.');
    expect(caught).toEqual([expect.objectContaining({ message: 'No engine.' })]);
  });

  test('a runtime for which no suspended component remains is closed', async () => {
    const { promise, resolve } = deferred<void>();
    const { opened, source } = counted(promise);
    const { container, unmount } = mount(suspended(createElement(Store, { source })));
    await expect.poll(() => container.textContent).toBe('opening');
    unmount();
    resolve();
    await expect.poll(() => opened.length).toBe(1);
    await expect.poll(() => isClosed(opened[0])).toBe(true);
  });
});
