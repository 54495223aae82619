import type { JsonObject } from '../../../../core/index.ts';
import { link } from '../../../../sandbox/capabilities/link.ts';
import { closed, count, list } from '../../../../sandbox/capabilities/schema.ts';
import type { CapabilityDefinition } from '../../../../workers/api.ts';
import readSource from '../guest/sheet.read.js?raw';
import setSource from '../guest/sheet.set.js?raw';
import sumSource from '../guest/sheet.sum.js?raw';
import { SHEETS } from './papers.ts';

const CELL = '[A-Z](?:[1-9][0-9]{0,2})';
const SHEET: JsonObject = { enum: ['fees', 'wages'] };
const RANGE: JsonObject = {
  type: 'string',
  pattern: `^${CELL}(?::${CELL})?$`,
  description: 'Cells of this one sheet, such as "B2:D6".',
};
const VALUE: JsonObject = {
  anyOf: [
    { type: 'number', minimum: -1e9, maximum: 1e9 },
    { type: 'string', maxLength: 200 },
  ],
};

const sheetRead: CapabilityDefinition = {
  name: 'sheet.read',
  version: '1.0.0',
  description: 'Reads the cells of a range as they were entered. Formulas are texts, and are not evaluated.',
  args: closed({ sheet: SHEET, range: RANGE }),
  result: closed({ sheet: SHEET, range: RANGE, rows: list(list({ type: 'string' }, 26), 999) }),
  effect: 'read',
  source: link(readSource, SHEETS),
};

const sheetSum: CapabilityDefinition = {
  name: 'sheet.sum',
  version: '1.0.0',
  description: 'Adds up a range of whole numbers.',
  args: closed({ sheet: SHEET, range: RANGE }),
  result: closed({ sheet: SHEET, range: RANGE, cells: count(25_974), sum: { type: 'integer' } }),
  effect: 'read',
  labels: ['private'],
  source: link(sumSource, SHEETS),
};

const sheetSet: CapabilityDefinition = {
  name: 'sheet.set',
  version: '1.0.0',
  description:
    'Keeps a value for a cell on this device. sheet.read and sheet.sum go on with the sheet as it was opened.',
  args: closed({ sheet: SHEET, cell: { type: 'string', pattern: `^${CELL}$` }, value: VALUE }),
  result: closed({ sheet: SHEET, cell: { type: 'string' }, was: VALUE, value: VALUE }),
  effect: 'write',
  powers: ['store.get', 'store.put'],
  source: link(setSource, SHEETS),
};

export const SHEET_CAPABILITIES: readonly CapabilityDefinition[] = [sheetRead, sheetSum, sheetSet];
