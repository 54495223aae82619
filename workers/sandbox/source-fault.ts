import { type Misuse, SallyportError } from '../../core/sallyport-error.ts';

const FAULTS: ReadonlySet<string> = new Set<Misuse>([
  'source_syntax',
  'source_threw',
  'source_no_default',
  'source_limit',
  'source_too_long',
  'limits_invalid',
  'name_invalid',
]);

/** True for an error by which a sandbox refuses a source. Other errors say that there was no sandbox. */
export function isSourceFault(error: unknown): error is SallyportError {
  return error instanceof SallyportError && FAULTS.has(error.code);
}
