import { afterEach, describe, expect, test } from 'vitest';
import { userEvent } from 'vitest/browser';
import { draftRule, type RuleChanges, tryDraft } from '../../../core/privilege/revise.ts';
import { defineRuleDialog, type OfferedRule, type RuleDialog, type RulePort } from '../../../web/shared/rule-dialog.ts';
import { TAINTED, use, WRITE } from '../../core/privilege/uses.ts';
import { spoken } from '../texts/spoken.ts';

defineRuleDialog();

const write = (path: string, more: Parameters<typeof use>[1] = {}) => use({ path, mode: 'w' }, { of: WRITE, ...more });
const HISTORY = [
  ...Array.from({ length: 12 }, (_, at) => write(`/notes/${at}.md`)),
  write('/notes/plan\u202efdp.md', TAINTED),
  write('/etc/cron.d/job', TAINTED),
  write('/notes/3.md', { end: 'denied', asked: 'grant', code: 'approval_denied' }),
];

const accepted: unknown[] = [];
const opened: unknown[] = [];
const draftOf = (changes: RuleChanges, history = HISTORY) => draftRule(history, { definition: WRITE, changes });

/** Rules of a history that is at hand. */
function portOf(more: Partial<RulePort> = {}): RulePort {
  return {
    tool: WRITE.name,
    asksOutside: false,
    draft: async (changes): Promise<OfferedRule> => {
      const draft = draftOf(changes);
      return { ...(draft && { draft }), replaces: 1 };
    },
    attempt: async (changes) => {
      const draft = draftOf(changes);
      if (draft === undefined) throw new Error('none');
      return tryDraft(HISTORY, draft, { definition: WRITE });
    },
    accept: async (changes, { rule }) => {
      accepted.push([changes, rule.terms]);
      return 'It holds.';
    },
    open: (place) => void opened.push(place),
    ...more,
  };
}

async function show(port: RulePort): Promise<RuleDialog> {
  const element = document.createElement('sp-rule') as RuleDialog;
  document.body.append(element);
  await element.show(port);
  return element;
}

const find = <E extends HTMLElement>(dialog: RuleDialog, selector: string): E => {
  const found = dialog.renderRoot.querySelector<E>(selector);
  if (found === null) throw new Error(`no ${selector}`);
  return found;
};
const has = (dialog: RuleDialog, selector: string) => dialog.renderRoot.querySelector(selector) !== null;
const textIn = (dialog: RuleDialog, selector = 'dialog') =>
  (find(dialog, selector).textContent ?? '').replace(/\s+/gu, ' ').trim();
const settled = async (dialog: RuleDialog): Promise<void> => {
  await expect.poll(() => has(dialog, '.body[aria-busy="false"], .empty, #again, #done')).toBe(true);
  await dialog.updateComplete;
};
/** The box of a value at a place. */
function box(dialog: RuleDialog, kind: 'seen' | 'beyond', value: string): HTMLInputElement {
  const path = find<HTMLDetailsElement>(dialog, '[data-place="/path"]');
  path.open = true;
  const labels = [...path.querySelectorAll(`.${kind} label`)];
  return labels.find(({ textContent }) => textContent.includes(value))?.querySelector('input') as HTMLInputElement;
}

afterEach(() => {
  spoken('en');
  document.body.replaceChildren();
  accepted.length = opened.length = 0;
});

describe('the dialog of a rule', () => {
  test('a person narrows, widens, takes in, tries and accepts a rule', async () => {
    const dialog = await show(portOf());
    await settled(dialog);
    expect(textIn(dialog, '.rule')).toContain('files.write asks a person, mode is "w", path is inside of /notes');
    expect(textIn(dialog, '#covers')).toBe('Covers 13 calls');
    expect(textIn(dialog, '#keeps')).toContain('you or the guard have refused a call that it covers');
    expect(find<HTMLInputElement>(dialog, '[value="allow"]').disabled).toBe(true);

    await userEvent.click(box(dialog, 'seen', '/notes/3.md'));
    await expect.poll(() => textIn(dialog, '#refuses')).toBe('Would have refused 2 calls');
    expect(textIn(dialog, '.beside')).toContain('you said no');
    await expect.poll(() => has(dialog, '#keeps')).toBe(false);
    await userEvent.click(find(dialog, '[value="allow"]'));
    await expect.poll(() => has(dialog, '#allows')).toBe(true);
    await userEvent.click(box(dialog, 'beyond', '/etc/cron.d/job'));
    await expect.poll(() => textIn(dialog, '.rule')).toContain('path has at most 16 characters but not "/notes/3.md"');
    expect(textIn(dialog, '.beyond')).toContain('\\u202e');

    await userEvent.click(find(dialog, '#try'));
    await expect.poll(() => has(dialog, '#trial')).toBe(true);
    expect(textIn(dialog, '#trial dl')).toMatch(/would be refused\s?1/u);
    await userEvent.click(find(dialog, '#trial li button'));
    expect(opened).toHaveLength(1);

    await dialog.show(portOf());
    await settled(dialog);
    const form = find<HTMLSelectElement>(dialog, '[data-place="/path"] select');
    find<HTMLDetailsElement>(dialog, '[data-place="/path"]').open = true;
    await userEvent.selectOptions(form, 'length');
    await expect.poll(() => textIn(dialog, '.rule')).toContain('path has at most 16 characters');
    find(dialog, '#accept').click();
    expect(accepted, 'a click of a script').toEqual([]);
    await userEvent.click(find(dialog, '#accept'));
    await expect.poll(() => has(dialog, '#done')).toBe(true);
    expect(accepted).toMatchObject([[{ places: { '/path': { form: 'length' } } }, { mode: 'ask' }]]);
    expect(textIn(dialog, '[role="status"]')).toBe('It holds.');
  });

  test('German speaks of every part', async () => {
    spoken('de');
    const dialog = await show(portOf());
    await settled(dialog);
    await userEvent.click(find(dialog, '#try'));
    await expect.poll(() => has(dialog, '#trial')).toBe(true);
    expect(textIn(dialog)).toContain('files.write fragt eine Person, mode ist "w", path liegt in /notes');
    expect(textIn(dialog, '#trial')).toContain('würde abgelehnt');
    expect(textIn(dialog)).not.toMatch(/\b(the|call|rule|asks)\b/u);
  });

  test('says what is missing, and what has failed, and reads again', async () => {
    const none = await show(portOf({ draft: async () => ({ replaces: 0 }) }));
    await settled(none);
    expect(textIn(none, '.empty')).toContain('No recorded call of this tool has run');
    let isBroken = true;
    const draft: RulePort['draft'] = async (changes, work) => {
      if (isBroken) throw new Error('The ledger is locked.');
      return portOf().draft(changes, work);
    };
    const failing = await show(portOf({ draft }));
    await settled(failing);
    expect(textIn(failing, '[role="status"]')).toBe('The rule could not be made: The ledger is locked.');
    isBroken = false;
    await userEvent.click(find(failing, '#again'));
    await expect.poll(() => has(failing, '.rule')).toBe(true);
  });

  test('a long reading tells its progress, and is canceled by key and by closing', async () => {
    const ended: string[] = [];
    const draft: RulePort['draft'] = (_, { signal, progress }) => {
      progress(0.25);
      return new Promise((__, reject) => {
        signal.addEventListener('abort', () => {
          ended.push('aborted');
          reject(signal.reason);
        });
      });
    };
    const dialog = document.createElement('sp-rule') as RuleDialog;
    document.body.append(dialog);
    void dialog.show(portOf({ draft, closed: () => void ended.push('closed') }));
    await expect.poll(() => has(dialog, 'progress')).toBe(true);
    expect(textIn(dialog, '[role="status"]')).toBe('Reading the recorded calls: 25 %');
    find(dialog, '#cancel').focus();
    await userEvent.keyboard('{Enter}');
    await expect.poll(() => has(dialog, '#again')).toBe(true);
    await expect
      .poll(() => dialog.renderRoot instanceof ShadowRoot && dialog.renderRoot.activeElement?.id)
      .toBe('again');
    await userEvent.keyboard('{Enter}');
    await expect.poll(() => has(dialog, 'progress')).toBe(true);
    await userEvent.keyboard('{Escape}');
    await expect.poll(() => ended).toEqual(['aborted', 'aborted', 'closed']);
  });
});
