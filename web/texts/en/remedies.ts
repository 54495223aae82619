import { CODES, type Code } from '../../../core/index.ts';
import { type Area, area } from '../area.ts';

export type RemedyTexts = { readonly [C in Code]: string };

/** The advice of each code, from the public list of codes. */
const en = Object.fromEntries(Object.entries(CODES).map(([code, { todo }]) => [code, todo])) as RemedyTexts;

export const remedies: Area<RemedyTexts> = area('remedies', en);
