import { visibleText } from '../../core/index.ts';
import { inSpeech } from '../texts/area.ts';
import { selftest } from '../texts/en/selftest.ts';
import { PART_IDS, type PartResult, type SelftestResult } from './result.ts';

/** The result as English text, for a report or a mail. */
export function textOf({ product, at, device, parts }: SelftestResult): string {
  return inSpeech({ language: 'en', locale: 'en' }, () => {
    const { browser, version, system } = device;
    const head = `Sallyport ${product}, ${browser} ${version}, ${system}, ${at}`;
    const rows = PART_IDS.flatMap((id) => (parts[id] === undefined ? [] : [`${id}: ${rowOf(parts[id])}`]));
    return [head, ...rows].map(visibleText).join('\n');
  });
}

function rowOf({ outcome, ms, reason, said, facts = {} }: PartResult): string {
  const { outcomes, reasons } = selftest();
  const why = reason === undefined ? '' : `. ${reasons[reason]}${said === undefined ? '' : ` ${said}`}`;
  const told = Object.entries(facts).map(([fact, value]) => `${fact} ${String(value)}`);
  const time = outcome === 'not_tried' ? '' : `, ${ms} ms`;
  return `${outcomes[outcome]}${time}${why}${told.length === 0 ? '' : ` (${told.join(', ')})`}`;
}
