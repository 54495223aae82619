/** The part of React DOM that these tests call; its own package has no types. */

declare module 'react-dom/client' {
  import type { ReactNode } from 'react';

  interface ReactRoot {
    render(node: ReactNode): void;
    unmount(): void;
  }
  interface RootOptions {
    readonly onCaughtError?: (error: unknown) => void;
  }
  export function createRoot(container: Element, options?: RootOptions): ReactRoot;
  export function hydrateRoot(container: Element, node: ReactNode): ReactRoot;
}

declare module 'react-dom/server' {
  import type { ReactNode } from 'react';

  export function renderToString(node: ReactNode): string;
}
