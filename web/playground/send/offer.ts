import { parseExport } from '../../../core/index.ts';
import { send } from '../../texts/en/send.ts';
import { DISCLOSURES, type DisclosedParts, type Disclosure, leaveOut } from './disclosure.ts';
import { packRun, RUN_LINK } from './run-link.ts';

/** An export as it would be sent: nothing has left the page. */
export interface SendOffer {
  readonly text: string;
  readonly run_id: string;
  readonly bytes: number;
  /** The packed run; undefined where it is too large for a link. */
  readonly packed: string | undefined;
  /** A sentence about the size. */
  readonly size: string;
  /** What the left out texts mean for the checks; empty where none is left out. */
  readonly leftOut: string;
}

/** Makes the export with the chosen disclosures alone, and packs it. */
export async function offerOf(
  jsonl: string,
  chosen: ReadonlySet<Disclosure>,
  parts: DisclosedParts,
): Promise<SendOffer> {
  const text = leaveOut(jsonl, chosen);
  const bytes = new Blob([text]).size;
  const packed = bytes > RUN_LINK.bytesMax ? undefined : await packRun(text);
  const fits = packed === undefined || packed.length > RUN_LINK.charactersMax ? undefined : packed;
  const left = DISCLOSURES.filter((each) => !chosen.has(each)).reduce((sum, each) => sum + parts[each].payloads, 0);
  return {
    text,
    run_id: parseExport(text).run_id ?? 'unnamed',
    bytes,
    packed: fits,
    size: sizeText(bytes, packed),
    leftOut: left === 0 ? '' : send().offer.leftOut(left),
  };
}

function sizeText(bytes: number, packed: string | undefined): string {
  const { offer: texts } = send();
  const file = texts.asFile(bytes);
  if (packed === undefined) return texts.tooManyBytes(RUN_LINK.bytesMax, file);
  if (packed.length > RUN_LINK.charactersMax) return texts.tooLong(packed.length, RUN_LINK.charactersMax, file);
  return texts.fits(packed.length, placesFor(packed.length), file);
}

function placesFor(characters: number): string {
  const { places } = send().offer;
  if (characters <= 2_000) return places.chat;
  return characters <= 8_000 ? places.most : places.few;
}
