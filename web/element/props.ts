import type { RunEvents } from './events.ts';
import type { SallyportRun } from './sallyport-run.ts';

/** Props of `<sallyport-run>` in a template: attributes, properties, and listeners named by their event. */
export type SallyportRunProps = Partial<
  Pick<
    SallyportRun,
    | 'src'
    | 'task'
    | 'dialect'
    | 'view'
    | 'mode'
    | 'theme'
    | 'frame'
    | 'assets'
    | 'store'
    | 'readonly'
    | 'words'
    | 'capabilities'
    | 'grants'
    | 'model'
    | 'runtime'
  >
> & { readonly [E in keyof RunEvents as `on${E}`]?: (event: RunEvents[E]) => void };
