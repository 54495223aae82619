/**
 * `sallyport/react`: hooks for a runtime, a run and its records, for React 18.2 and later; and the props of
 * `<sallyport-run>` in the JSX of React 19. Importing it on a server has no effect.
 *
 * @experimental
 */
import type { DetailedHTMLProps, HTMLAttributes } from 'react';

export type * from './element.ts';
export type { RecordsSnapshot } from './react/use-records.ts';
export { type RecordsOptions, useRecords } from './react/use-records.ts';
export type { RunQuestion, RunSnapshot } from './react/use-run.ts';
export { useRun } from './react/use-run.ts';
export type { RuntimeSnapshot, RuntimeSource } from './react/use-runtime.ts';
export { type SuspenseOption, useRuntime } from './react/use-runtime.ts';

import type { SallyportRun, SallyportRunProps } from './element.ts';

export type SallyportRunInReact = DetailedHTMLProps<HTMLAttributes<SallyportRun>, SallyportRun> & SallyportRunProps;

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'sallyport-run': SallyportRunInReact;
    }
  }
}
