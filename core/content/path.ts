import { refuse } from '../errors.ts';
import { type Outcome, pass } from '../outcome.ts';

/** Control characters, C0 and C1, and the separators of lines and paragraphs. */
const CONTROL = /[\p{Cc}\u2028\u2029]/u;
/** Characters that change the direction of the text beside them: `a\u202egpj.md` is shown as `adm.jpg`. */
const BIDI = /\p{Bidi_Control}/u;

/**
 * A path that names content: relative to its root, `/` between segments, in NFC, compared by code unit. Another
 * spelling is refused with `path_invalid`, never converted: two spellings would be two identities.
 *
 * @see Catalytic Chat Contract, Section
 */
export function checkPath(path: string): Outcome<string> {
  const reason = fault(path);
  return reason === undefined ? pass(path) : refuse('path_invalid', { path: path.toWellFormed(), reason });
}

function fault(path: string): string | undefined {
  if (path === '') return 'it is empty';
  if (!path.isWellFormed()) return 'it holds half of a surrogate pair';
  if (CONTROL.test(path)) return 'it holds a control character';
  if (BIDI.test(path)) return 'it holds a character that changes the direction of writing';
  if (path.includes('\\')) return 'it holds a backslash';
  if (/^[A-Za-z]:\//.test(path)) return 'it names a drive';
  if (path !== path.normalize('NFC')) return 'it is not in Unicode form NFC';
  const segments = path.split('/');
  if (segments.includes('')) return path.startsWith('/') ? 'it is absolute' : 'a segment is empty';
  return segments.some((segment) => segment === '.' || segment === '..') ? 'it climbs' : undefined;
}
