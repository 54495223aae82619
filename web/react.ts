/**
 * `sallyport/react`: the props of `<sallyport-run>` in the JSX of React 19; a file of types without code. Name it once,
 * by `import type {} from 'sallyport/react'` or in `types` of a tsconfig.
 */
import type { DetailedHTMLProps, HTMLAttributes } from 'react';

export type * from './element.ts';

import type { SallyportRun, SallyportRunProps } from './element.ts';

export type SallyportRunInReact = DetailedHTMLProps<HTMLAttributes<SallyportRun>, SallyportRun> & SallyportRunProps;

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'sallyport-run': SallyportRunInReact;
    }
  }
}
