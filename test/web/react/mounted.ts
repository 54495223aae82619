import { Component, createElement, type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, expect, type MockInstance, vi } from 'vitest';

/** A component tree in the page, in StrictMode. */
export interface Mounted {
  readonly container: HTMLElement;
  /** Errors that a boundary has caught. */
  readonly caught: readonly unknown[];
  render(node: ReactNode): void;
  unmount(): void;
}

/** Shows the message of an error in the place of its children. */
export class ErrorBoundary extends Component<{ readonly children?: ReactNode }, { readonly error?: Error }> {
  override state: { readonly error?: Error } = {};
  static getDerivedStateFromError = (error: Error) => ({ error });
  override render() {
    return this.state.error?.message ?? this.props.children;
  }
}

const mounted = new Set<Mounted>();

export function mount(node: ReactNode): Mounted {
  const container = document.body.appendChild(document.createElement('div'));
  const caught: unknown[] = [];
  const root = createRoot(container, { onCaughtError: (error) => void caught.push(error) });
  const render = (next: ReactNode) => root.render(createElement(StrictMode, null, next));
  const unmount = () => {
    mounted.delete(tree);
    root.unmount();
    container.remove();
  };
  const tree: Mounted = { container, caught, render, unmount };
  mounted.add(tree);
  render(node);
  return tree;
}

/** Unmounts each tree after its test, and holds that React has warned about none. */
export function watchTrees(): void {
  let said: readonly MockInstance[] = [];
  beforeEach(() => {
    said = (['error', 'warn'] as const).map((level) => vi.spyOn(console, level));
  });
  afterEach(() => {
    for (const tree of mounted) tree.unmount();
    const words = said.flatMap(({ mock }) => mock.calls);
    for (const spy of said) spy.mockRestore();
    expect(words).toEqual([]);
  });
}
