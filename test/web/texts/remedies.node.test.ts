import { describe, expect, it } from 'vitest';
import { CHECK_NAMES, type CheckId, CODES, type Code } from '../../../core/index.ts';
import { auditView } from '../../../web/texts/en/audit-view.ts';
import { remedies } from '../../../web/texts/en/remedies.ts';
import { spoken } from './spoken.ts';

const codes = Object.keys(CODES) as Code[];

describe('the remedies of the public list of codes', () => {
  it.each(codes)('%s has its own remedy in English and a sentence in German', (code) => {
    spoken('en');
    expect(remedies()[code]).toBe(CODES[code].todo);
    spoken('de');
    expect(remedies()[code]).toMatch(/^\p{Lu}.*\.$/u);
  });

  it('German has a remedy for no further code', () => {
    spoken('de');
    expect(Object.keys(remedies()).toSorted()).toEqual(codes.toSorted());
  });
});

describe('the checks of the audit', () => {
  it.each(Object.keys(CHECK_NAMES) as CheckId[])('%s has a name and a claim in German', (id) => {
    spoken('de');
    const name = auditView().checks.names[id];
    expect(name).toMatch(/^\p{Lu}\p{L}+: \p{Lu}/u);
    expect(name).not.toBe(CHECK_NAMES[id]);
  });
});
