import type { TestDetails } from '@playwright/test';

/** The test belongs to the core that every `npm test` runs, in Chromium. */
export const CORE = { tag: '@core' } as const satisfies TestDetails;

/** The story is about our own code, which is the same in every engine: Firefox runs it only where no Chromium is. */
export const ONCE = { tag: '@once' } as const satisfies TestDetails;

export const CORE_ONCE = { tag: ['@core', '@once'] } satisfies TestDetails;
