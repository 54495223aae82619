import { html } from 'lit';
import { byteCount } from '../amounts.ts';
import type { PartTexts } from '../en/parts.ts';
import type { PriceTexts } from '../en/prices.ts';
import { number, plural } from '../intl.ts';

export const parts: PartTexts = {
  modes: { ask: 'fragt Sie jedes Mal', allow: 'erlaubt', deny: 'verweigert' },
  loading: 'Wird geladen …',
  neverLoaded: 'Dieser Teil der Seite wurde noch nie geladen. Er kommt, sobald das Gerät online ist.',
  notLoaded: 'Dieser Teil der Seite konnte nicht geladen werden. Gehen Sie online, und laden Sie die Seite dann neu.',
  older:
    'Diese Seite ist älter als ihre Website, und die Website hat diesen Teil nicht mehr. Beim Neuladen geht kein Lauf verloren.',
  reload: 'Seite neu laden',
  broken: (why) =>
    html`<strong>Dieser Bereich konnte nicht gezeichnet werden.</strong> ${why} Der Lauf ist davon nicht betroffen.`,
  drawAgain: 'Neu zeichnen',

  packed: {
    tooLong: (characters, limit) =>
      `er hat ${plural(characters, { other: '# Zeichen' })}, die Grenze ist ${number(limit)}`,
    damaged: 'er wurde unterwegs abgeschnitten oder verändert',
    otherFormat: (format, known) => `er ist für Format ${format} gemacht, und diese Seite kennt ${known}`,
    unfoldsTooFar: (bytes) => `er ergibt entpackt mehr als ${byteCount(bytes)}`,
  },

  json: {
    text: 'JSON-Text',
    firstCharacters: (shown, all) => `Die ersten ${number(shown)} von ${plural(all, { other: '# Zeichen' })}.`,
    selected: 'Der ausgewählte Wert',
    copy: { value: 'Wert kopieren', path: 'Pfad kopieren', hash: 'Hash kopieren' },
    copied: {
      value: (place) => `Wert kopiert: ${place}.`,
      path: (place) => `Pfad kopiert: ${place}.`,
      hash: (place) => `Hash kopiert: ${place}.`,
    },
    whole: 'der ganze Wert',
    notCopied: 'Dieser Browser hat die Seite nicht kopieren lassen.',
    more: (more, next) => `${number(more)} weitere: ${number(next)} zeigen`,
    items: (items) => plural(items, { one: '# Element', other: '# Elemente' }),
    members: (members) => plural(members, { other: '# Member' }),
    characters: (characters) => plural(characters, { other: '# Zeichen' }),
  },
};

export const prices: PriceTexts = {
  legend: 'Preis für eine Million Tokens',
  input: 'Was es liest',
  output: 'Was es schreibt',
  currency: 'Währung',
  none: 'nicht gesetzt',
  local: 'Er bleibt auf diesem Gerät. Ohne Preis werden nur Tokens gezählt.',
  summary: 'Preis seiner Tokens',
  unnamed: 'Geben Sie zuerst den Server und das Modell an.',
  tokens: (input, output) => `${plural(input, { one: '# Token', other: '# Tokens' })} hinein, ${number(output)} heraus`,
  spent: (all) => `Das Modell verbrauchte ${all}.`,
};
