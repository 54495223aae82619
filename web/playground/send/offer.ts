import { send } from '../../texts/en/send.ts';
import { DISCLOSURES, type DisclosedParts, type Disclosure } from '../files/disclosures.ts';
import { RUN_LINK } from '../files/export-blob.ts';

/** A sentence about the sizes of an export: as a link, as a file, and as a page. `packed`: length of its link. */
export function sizeText({ bytes, packed, pageBytes }: OfferedSizes): string {
  const { offer: texts } = send();
  const file = `${texts.asFile(bytes)} ${texts.asPage(pageBytes)}`;
  if (packed === undefined) return texts.tooManyBytes(RUN_LINK.bytesMax, file);
  if (packed > RUN_LINK.charactersMax) return texts.tooLong(packed, RUN_LINK.charactersMax, file);
  return texts.fits(packed, placesFor(packed), file);
}

interface OfferedSizes {
  readonly bytes: number;
  /** Undefined where the export is not packed, because it is too large for a link. */
  readonly packed: number | undefined;
  readonly pageBytes: number;
}

function placesFor(characters: number): string {
  const { places } = send().offer;
  if (characters <= 2_000) return places.chat;
  return characters <= 8_000 ? places.most : places.few;
}

/** What the left out texts mean for the checks; empty where none is left out. */
export function leftOutText(chosen: ReadonlySet<Disclosure>, parts: DisclosedParts): string {
  const left = DISCLOSURES.filter((each) => !chosen.has(each)).reduce((sum, each) => sum + parts[each].payloads, 0);
  return left === 0 ? '' : send().offer.leftOut(left);
}
