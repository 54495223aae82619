import { createElement, Suspense } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { useRecords, useRun, useRuntime } from '../../../web/react.ts';

test('a server renders the hooks without a runtime', () => {
  function Page() {
    const { status, runtime } = useRuntime(() => Promise.reject(new Error('A server opened a runtime.')));
    const run = useRun(undefined);
    const { count } = useRecords(runtime, undefined);
    return `${status}, ${String(run)}, ${count}`;
  }
  expect(renderToString(createElement(Page))).toBe('opening, undefined, 0');
});

test('a server renders the fallback of a component that suspends', () => {
  function Page() {
    return useRuntime({}, { suspense: true }).info.isolation;
  }
  const html = renderToString(createElement(Suspense, { fallback: 'opening' }, createElement(Page)));
  expect(html).toContain('opening');
  expect(html).toContain('a runtime of a page opens in the page only');
});
