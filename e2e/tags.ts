import type { TestDetails } from '@playwright/test';

/** The story is a main promise of the product, which every `npm test` asks, in Chromium. */
export const CORE = { tag: '@core' } as const satisfies TestDetails;

/** As `CORE`, and in `npm test` also in Firefox: an engine decides its outcome. */
export const CORE_ENGINES = { tag: ['@core', '@engines'] } satisfies TestDetails;

/** A suite of an outside program: the one test of it in every `npm test`. */
export const SMOKE = { tag: '@smoke' } as const satisfies TestDetails;

/**
 * The story is about our own code, which is the same in every engine: Firefox runs it only where no Chromium is, also in
 * `test:long`.
 *
 * A test has this tag if the engine does not decide its outcome: texts, layout, flows of the page, messages between our
 * own frames, faults that the test makes, and rules that a suite of Vitest asks in both engines (hashes, fuel, stores,
 * mirrors, erasure, signatures, images). A test lacks it if an engine may differ: stored data after a
 * reload or a kill, service workers and caches, policies and workers, locks between tabs, focus, keys and pointers,
 * fields, the clipboard, files in and out, streams and errors of requests, reports about overlays.
 */
export const ONCE = { tag: '@once' } as const satisfies TestDetails;

export const CORE_ONCE = { tag: ['@core', '@once'] } satisfies TestDetails;

/** Two builds under open pages: a part of `test:long` of its own. Our own files are the same in every engine. */
export const DEPLOYS = { tag: ['@deploys', '@once'] } satisfies TestDetails;

/** As `DEPLOYS`, and in every `npm test`. */
export const DEPLOYS_CORE = { tag: ['@deploys', '@core', '@once'] } satisfies TestDetails;
