const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const MEDIA_TYPE = new RegExp(
  `^${TOKEN}/${TOKEN}(?:\\s*;\\s*${TOKEN}=(?:${TOKEN}|"[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]*"))*$`,
);

/** True for a media type that a header can carry, parameters included. */
export function isMediaType(text: string): boolean {
  return text.length <= 200 && MEDIA_TYPE.test(text);
}

/** Type and subtype in lower case. */
export function essence(type: string): string {
  return (type.split(';')[0] ?? '').trim().toLowerCase();
}

export function isJson(type: string): boolean {
  return /^(?:application|text)\/(?:[\w.+-]+\+)?json$/.test(essence(type));
}

/** A range that JSON is in: the document leaves the form open, and a call uses JSON. */
export function isRangeOfJson(type: string): boolean {
  return ['*/*', 'application/*'].includes(essence(type));
}

export function isText(type: string): boolean {
  return /^text\/|^application\/(?:[\w.+-]+\+)?(?:xml|yaml|x-yaml|javascript|graphql|x-www-form-urlencoded)$/.test(
    essence(type),
  );
}
