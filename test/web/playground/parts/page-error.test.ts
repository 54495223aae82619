import { describe, expect, it } from 'vitest';
import { SallyportError } from '../../../../core/index.ts';
import { PageError, whyText } from '../../../../web/playground/parts/page-error.ts';
import { compare } from '../../../../web/texts/en/compare.ts';
import { spoken } from '../../texts/spoken.ts';

/** The text of a template, without its markup. */
function textIn(said: unknown): string {
  if (Array.isArray(said)) return said.map(textIn).join('');
  if (typeof said !== 'object' || said === null || !('strings' in said)) return String(said);
  const { strings, values } = said as { readonly strings: readonly string[]; readonly values?: readonly unknown[] };
  return strings.map((text, nth) => `${text}${nth < (values?.length ?? 0) ? textIn(values?.[nth]) : ''}`).join('');
}

describe('the reason of a failure', () => {
  it('a failure that the page found is told in the language of the moment, also after a switch', () => {
    const error = new PageError(() => compare().noRecord);
    expect(error.message).toBe('it holds no record of a run.');
    expect(textIn(whyText(error))).toBe('it holds no record of a run.');
    spoken('de');
    expect(textIn(whyText(error))).toBe('Sie enthält keinen Eintrag eines Laufs.');
  });

  it('a reason of the kernel stays as it came, and is marked as English', () => {
    spoken('de');
    const error = new SallyportError('json_syntax', 'Unexpected end.', {});
    expect(textIn(whyText(error))).toBe(`<span lang="en">${error.message}</span>`);
  });

  it('an invisible character in a reason is written out', () => {
    expect(textIn(whyText(new Error('a\u202eb')))).toContain('class="hidden"');
  });
});
