import { assetsIn } from '../engine.ts';
import { type StartedKernel, startKernel } from '../start-kernel.ts';

/** The kernel of this page, which begins to start with the first script of the page. */
export interface EarlyKernel {
  readonly starting: Promise<StartedKernel>;
  /**
   * Tells the listener the share of a long opening that is done: the last share before this call, and each later share.
   * The engine loads from this call on: before, it would take the line from the code of the page.
   */
  attend(listener: (share: number) => void): void;
}

export const earlyKernel: EarlyKernel = startEarly();

function startEarly(): EarlyKernel {
  let attended = (): void => undefined;
  const begin = new Promise<void>((resolve) => (attended = resolve));
  let told: number | undefined;
  let tell = (share: number): void => void (told = share);
  const starting = startKernel(assetsIn(undefined), 'browser', (share) => tell(share), { begin });
  // The page tells of a failure when it opens its runtime.
  starting.catch(() => undefined);
  const attend = (listener: (share: number) => void): void => {
    tell = listener;
    attended();
    if (told !== undefined) listener(told);
  };
  return { starting, attend };
}
