/**
 * `sallyport/react`: what `<sallyport-run>` takes in the JSX of React 19, and nothing to run. Named once, by
 * `import type {} from 'sallyport/react'` or in `types` of a tsconfig.
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
