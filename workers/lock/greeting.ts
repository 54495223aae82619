/**
 * First message of a worker: the build that it is a part of. A page and its workers are files of one build, because the
 * messages between them, and the kernel's tables, change from build to build. A site that is deployed anew under an open
 * tab, or a host that serves one file of another version, mixes two builds.
 */
import { misuse, type SallyportError } from '../../core/sallyport-error.ts';
import type { RuntimeInfo } from '../api.ts';

/** Inserted by the build: a hash of all sources, the same in each file of a build. */
declare const SALLYPORT_BUILD: string | undefined;

/** Build of this file. Sources that a development server or a test serves are one build. */
export const BUILD: string = typeof SALLYPORT_BUILD === 'undefined' ? 'source' : SALLYPORT_BUILD;

export interface Greeting {
  /** Build of the worker's file. */
  readonly sallyport: string;
  /** What the worker's test of its own lock found. The kernel tests its lock while it opens the store. */
  readonly probes?: RuntimeInfo['probes'];
}

/** The greeting of this realm, with further members. */
export function greetingWith<T extends Omit<Greeting, 'sallyport'>>(more: T): Greeting & T {
  return { ...more, sallyport: BUILD };
}

/** The build that a first message names; undefined for a message that is no greeting. */
export function buildIn(message: unknown): string | undefined {
  const { sallyport } = Object(message) as Partial<Greeting>;
  return typeof sallyport === 'string' ? sallyport : undefined;
}

/** `build_mismatch` where the file of a worker is of another build than this file, or of none. */
export function buildFault(found: string | undefined, file: string): SallyportError | undefined {
  if (found === BUILD) return undefined;
  return misuse('build_mismatch', { file, expected: BUILD, found: found ?? 'unknown' });
}
