import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatLink, PARTS, parseLink, TABS, VIEWS } from '../../../web/playground/link.ts';

const RUN = '0f8b1c2d-3e4f-4a5b-8c6d-7e8f9a0b1c2d';

describe('a link', () => {
  it('a link reads back as it was written', () => {
    const link = fc.record(
      {
        view: fc.constantFrom(...VIEWS.filter((view) => view !== 'learn')),
        run: fc.constant(RUN),
        seq: fc.nat(999_999_999),
        tab: fc.constantFrom(...TABS.slice(1)),
        part: fc.constantFrom(...PARTS.slice(1)),
      },
      { requiredKeys: ['view'] },
    );
    fc.assert(
      fc.property(link, (wanted) => {
        expect(parseLink(formatLink(wanted))).toEqual(wanted);
      }),
    );
  });

  it('a link names a lesson by a path, and the list of lessons without a number', () => {
    for (const link of [{ view: 'learn' }, { view: 'learn', lesson: 3 }, { view: 'learn', lesson: 12 }] as const)
      expect(parseLink(formatLink(link))).toEqual(link);
    expect(formatLink({ view: 'learn', lesson: 3 })).toBe('#/learn/3');
    expect(formatLink({ view: 'learn', isClass: true })).toBe('#/learn/class');
    expect(parseLink('#/learn/class')).toEqual({ view: 'learn', isClass: true });
    expect(parseLink('#/learn/999')).toEqual({ view: 'run', unknown: 'learn/999' });
    expect(parseLink('#/audit')).toEqual({ view: 'audit' });
    expect(parseLink('#/nowhere')).toEqual({ view: 'run', unknown: 'nowhere' });
  });

  it('a link names a scenario by a path, and another path is no scenario', () => {
    const link = { view: 'run', scenario: 'mail' } as const;
    expect(formatLink(link)).toBe('#/scenario/mail');
    expect(parseLink(formatLink(link))).toEqual(link);
    expect(parseLink('#/scenario/../mail')).toEqual({ view: 'run', unknown: 'scenario/../mail' });
    expect(parseLink(`#/scenario/${'a'.repeat(41)}`).scenario).toBeUndefined();
  });

  it('a link carries a shared payload unread', () => {
    const link = { view: 'capabilities', part: 'workshop', shared: '1.abc_-' } as const;
    expect(parseLink(formatLink(link))).toEqual(link);
  });

  it('a link carries a sent run unread, into Audit', () => {
    const link = { view: 'audit', sent: '1.abc_-' } as const;
    expect(parseLink(formatLink(link))).toEqual(link);
    expect(parseLink('#run=<script>')).toEqual({ view: 'audit', sent: '<script>' });
  });

  it('a link from a stranger is understood or left out, and never throws', () => {
    fc.assert(fc.property(fc.string(), (text) => VIEWS.includes(parseLink(text).view)));
    expect(parseLink('#r=../../etc&q=-1&v=admin')).toEqual({ view: 'run' });
  });
});
