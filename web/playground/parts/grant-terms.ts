import { html, type TemplateResult } from 'lit';
import {
  type Accepts,
  type AuthorTerms,
  decode,
  encodeText,
  isObject,
  type JsonObject,
  type JsonValue,
  type Signed,
  visibleText,
} from '../../../core/index.ts';
import { PasskeyError, passkeyObstacle, signerOf } from '../../shared/passkey.ts';
import { type CapabilityTexts, capabilities } from '../../texts/en/capabilities.ts';
import { keptKeys } from './kept-keys.ts';
import { PageError } from './page-error.ts';

/**
 * The terms of a grant besides its mode, which has a face of its own (`grant-modes.ts`), and besides those that a gateway
 * or a server with principals writes.
 */
type Limits = Required<Omit<AuthorTerms, 'mode' | 'changed' | 'fallback' | 'for'>>;
type LimitName = keyof Limits;

type TermTexts = CapabilityTexts['grants']['terms'] & { readonly [T in LimitName]: { readonly label: string } };

/** How the page shows and asks for a term of a grant. */
interface TermField<V> {
  /** The term in a list, after the mode. */
  words(value: V): string;
  /** Its part of the form. */
  field(): TemplateResult;
  /** Its value in the form, undefined for an empty field. Throws a `PageError` for a value that is none. */
  read(form: FormData): V | undefined;
}

/** The fields of all terms, in the order of the form: a term without its field does not compile. */
const TERM_FIELDS: { readonly [T in LimitName]: TermField<Limits[T]> } = {
  uses: {
    words: (calls) => texts().uses.words(calls),
    field: () =>
      html`<label>${texts().uses.label}<input name="uses" type="number" min="1" max="10000" step="1" placeholder=${capabilities().grants.noLimit} /></label>`,
    read: (form) => count(form, 'uses'),
  },
  expires: {
    words: (ms) => texts().expires.words(ms),
    field: () => html`<label>${texts().expires.label}<input name="expires" type="datetime-local" step="1" /></label>`,
    read: (form) => {
      const value = typed(form, 'expires');
      return value === '' ? undefined : new Date(value).getTime();
    },
  },
  rate: {
    words: (rates) => rates.map((rate) => texts().rate.words(rate)).join(', '),
    field: () =>
      html`<label>${texts().rate.label}<input name="rate-calls" type="number" min="1" max="1000" step="1" placeholder=${capabilities().grants.noLimit} /></label>
        <label>${texts().rate.seconds}<input name="rate-seconds" type="number" min="1" max="31536000" step="1" /></label>`,
    read: (form) => {
      const [calls, seconds] = [count(form, 'rate-calls'), count(form, 'rate-seconds')];
      if (calls === undefined && seconds === undefined) return undefined;
      if (calls === undefined || seconds === undefined) throw new PageError(() => texts().rate.half);
      return [{ calls, windowMs: seconds * 1000 }];
    },
  },
  where: {
    words: () => texts().where.words(),
    field: () => html`<label class="wide">${texts().where.label}
        <textarea name="where" rows="3" spellcheck="false" placeholder='{"properties":{"name":{"maxLength":20}}}'></textarea></label>`,
    read: (form) => objectIn(typed(form, 'where'), () => capabilities().grants.notSchema),
  },
  held: {
    words: (held) => texts().held.words(String(held) as HeldChoice),
    field: () =>
      html`<label>${texts().held.label}<select name="held">
        <option value="">${texts().held.never}</option>
        ${HELD_CHOICES.map((choice) => html`<option value=${choice}>${texts().held.choices[choice]}</option>`)}
      </select></label>`,
    read: (form) => HELD_VALUES[typed(form, 'held') as HeldChoice],
  },
  signed: {
    words: ({ by, of = 1 }) => texts().signed.words([...new Set(by.map(({ name }) => name))], of),
    field: () => html`<fieldset class="wide"><legend>${texts().signed.label}</legend>
        ${signerChoices()}
        <label>${texts().signed.of}<input name="signed-of" type="number" min="1" step="1" placeholder="1" /></label>
        <details><summary>${texts().signed.more}</summary>
          <textarea name="signed" rows="2" spellcheck="false" aria-label=${texts().signed.more} placeholder='[{"name":"Ada","key":"…","origin":"${location.origin}"}]'></textarea>
        </details></fieldset>`,
    read: (form) => {
      const chosen = keptKeys.peek().filter(({ key }) => form.getAll('signed-key').includes(key));
      const pasted = listIn(typed(form, 'signed'), () => capabilities().grants.notSigners);
      const of = count(form, 'signed-of');
      // the kernel says what is wrong with a signer
      const by = [...chosen.map(signerOf), ...pasted] as Signed['by'];
      return by.length === 0 && of === undefined ? undefined : { by, ...(of !== undefined && { of }) };
    },
  },
  accepts: {
    words: (places) => texts().accepts.words(Object.keys(places).map((place) => (place === '' ? '""' : place))),
    field: () => html`<label class="wide">${texts().accepts.label}
        <textarea name="accepts" rows="2" spellcheck="false" placeholder='{"/text":["private","untrusted"]}'></textarea></label>`,
    // the kernel says what is wrong with a place or a label
    read: (form) => objectIn(typed(form, 'accepts'), () => capabilities().grants.notPlaces) as Accepts | undefined,
  },
  release: {
    words: ({ bits, drops }) => texts().release.words(bits, drops !== undefined),
    field: () =>
      html`<label>${texts().release.label}<input name="release-bits" type="number" min="1" max="65536" step="1" placeholder=${texts().release.none} /></label>
        <label><input name="release-drops" type="checkbox" /> ${texts().release.drops}</label>`,
    read: (form) => {
      const bits = count(form, 'release-bits');
      return bits === undefined ? undefined : { bits, ...(form.has('release-drops') && { drops: ['untrusted'] }) };
    },
  },
};

/** A choice for each passkey that the page keeps, or why there is none. */
function signerChoices(): TemplateResult | readonly TemplateResult[] {
  const obstacle = passkeyObstacle();
  if (obstacle !== undefined) return html`<p class="soft">${new PasskeyError(obstacle).text}</p>`;
  const keys = keptKeys.value;
  if (keys.length === 0) return html`<p class="soft">${texts().signed.none}</p>`;
  return keys.map(
    ({ name, key }) =>
      html`<label class="mode"><input type="checkbox" name="signed-key" value=${key} /><span>${visibleText(name)} <span class="mono soft">${key.slice(0, 12)}…</span></span></label>`,
  );
}

type HeldChoice = `${Limits['held']}`;
const HELD_VALUES: { readonly [H in HeldChoice]: Limits['held'] } = {
  true: true,
  untrusted: 'untrusted',
  private: 'private',
};
const HELD_CHOICES = Object.keys(HELD_VALUES) as readonly HeldChoice[];

/** The words of every term: a term without words does not compile. */
const texts = (): TermTexts => capabilities().grants.terms;

const NAMES = Object.keys(TERM_FIELDS) as readonly LimitName[];

/** The terms of a grant in words, without its mode. */
export function termWords(grant: AuthorTerms): readonly string[] {
  return NAMES.flatMap((name) => wordsOf(grant, name));
}

function wordsOf<T extends LimitName>(grant: AuthorTerms, name: T): readonly string[] {
  const value: AuthorTerms[T] = grant[name];
  return value === undefined ? [] : [TERM_FIELDS[name].words(value as Limits[T])];
}

export function termFields(): readonly TemplateResult[] {
  return NAMES.map((name) => TERM_FIELDS[name].field());
}

/** The terms that the form holds. The form's text is parsed as strictly as any other input. */
export function readTerms(form: FormData): Omit<AuthorTerms, 'mode'> {
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = TERM_FIELDS[name].read(form);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** The terms that the author of a grant wrote, to give the same grant again. */
export function termsOf(grant: AuthorTerms): AuthorTerms {
  const names = ['mode', ...NAMES] as const;
  const given = names.flatMap((name) => (grant[name] === undefined ? [] : [[name, grant[name]]]));
  return Object.fromEntries(given) as unknown as AuthorTerms;
}

function typed(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}

function count(form: FormData, name: string): number | undefined {
  const value = typed(form, name);
  return value === '' ? undefined : Number(value);
}

/** A list; an empty text is an empty one. Throws the fault of any other text. */
function listIn(text: string, fault: () => string): readonly JsonValue[] {
  const value = valueIn(text) ?? [];
  if (!Array.isArray(value)) throw new PageError(fault);
  return value as readonly JsonValue[];
}

/** An object, or undefined for an empty text. Throws the fault of any other text. */
function objectIn(text: string, fault: () => string): JsonObject | undefined {
  const value = valueIn(text);
  if (value !== undefined && !isObject(value)) throw new PageError(fault);
  return value;
}

function valueIn(text: string): JsonValue | undefined {
  if (text.trim() === '') return undefined;
  const decoded = decode(encodeText(text));
  if (!decoded.ok) throw new Error(decoded.refusal.message);
  return decoded.value;
}
