import { html, type TemplateResult } from 'lit';
import { byteCount } from '../amounts.ts';
import { type Area, area } from '../area.ts';
import { number, plural } from '../intl.ts';

const en = {
  /** The answer of each grant mode to a call. */
  modes: { ask: 'asks you each time', allow: 'allowed', deny: 'denied' },
  loading: 'Loading…',
  neverLoaded: 'This part of the page has never been loaded. It comes as soon as the device is online.',
  notLoaded: 'This part of the page could not be loaded. Go online, then reload the page.',
  older: 'This page is older than its site, and the site no longer has this part. A reload loses no run.',
  reload: 'Reload the page',
  broken: (why: string): TemplateResult =>
    html`<strong>This panel could not be drawn.</strong> ${why} The run is not affected.`,
  drawAgain: 'Draw again',

  /** Why a packed text cannot be read; the rest of a sentence. */
  packed: {
    tooLong: (characters: number, limit: number): string =>
      `it has ${plural(characters, { one: '# character', other: '# characters' })}, the limit is ${number(limit)}`,
    damaged: 'it was cut off or changed on its way',
    otherFormat: (format: string, known: number): string =>
      `it was made for format ${format}, and this page knows ${known}`,
    unfoldsTooFar: (bytes: number): string => `it unfolds to more than ${byteCount(bytes)}`,
  },

  json: {
    text: 'JSON text',
    firstCharacters: (shown: number, all: number): string =>
      `The first ${number(shown)} of ${plural(all, { one: '# character', other: '# characters' })}.`,
    selected: 'The selected value',
    copy: { value: 'Copy value', path: 'Copy path', hash: 'Copy hash' },
    copied: {
      value: (place: string): string => `Copied the value of ${place}.`,
      path: (place: string): string => `Copied the path of ${place}.`,
      hash: (place: string): string => `Copied the hash of ${place}.`,
    },
    whole: 'the whole value',
    notCopied: 'This browser did not let the page copy.',
    more: (more: number, next: number): string => `${number(more)} more: show ${number(next)}`,
    items: (items: number): string => plural(items, { one: '# item', other: '# items' }),
    members: (members: number): string => plural(members, { one: '# member', other: '# members' }),
    characters: (characters: number): string => plural(characters, { one: '# character', other: '# characters' }),
  },
};

export type PartTexts = typeof en;
export const parts: Area<PartTexts> = area('parts', en);
