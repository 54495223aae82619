import type { SymbolRow } from '../../../core/index.ts';
import calendar from './corpus/calendar.json?raw';
import invoices from './corpus/invoices.csv?raw';
import deliverySlip from './corpus/notes/delivery-slip.md?raw';
import leaven from './corpus/notes/leaven.md?raw';
import opening from './corpus/notes/opening.md?raw';
import ovens from './corpus/notes/ovens.md?raw';
import people from './corpus/notes/people.md?raw';
import shop from './corpus/notes/shop.md?raw';
import suppliers from './corpus/notes/suppliers.md?raw';
import tasting from './corpus/notes/tasting.md?raw';
import winterPlan from './corpus/notes/winter-plan.md?raw';
import recipe1 from './corpus/recipes/harbour-loaf.v1.md?raw';
import recipe2 from './corpus/recipes/harbour-loaf.v2.md?raw';
import stock from './corpus/stock.json?raw';

/**
 * The papers of Kestrel Street Bakery, by path: all invented, all in the bundle, and a single poisoned paper among
 * them.
 */
export const CORPUS: { readonly [path: string]: string } = {
  'calendar.json': calendar,
  'invoices.csv': invoices,
  'notes/delivery-slip.md': deliverySlip,
  'notes/leaven.md': leaven,
  'notes/opening.md': opening,
  'notes/ovens.md': ovens,
  'notes/people.md': people,
  'notes/shop.md': shop,
  'notes/suppliers.md': suppliers,
  'notes/tasting.md': tasting,
  'notes/winter-plan.md': winterPlan,
  'recipes/harbour-loaf.v1.md': recipe1,
  'recipes/harbour-loaf.v2.md': recipe2,
  'stock.json': stock,
};

/** Names for places in the papers, as a model is told them: whole papers, and a section. */
export const SYMBOLS: readonly SymbolRow[] = [
  file('@BAKERY/SUPPLIERS', 'notes/suppliers.md'),
  {
    symbol_id: '@BAKERY/PAYING',
    target_type: 'SECTION',
    target_ref: 'notes/suppliers.md#["Suppliers","How we pay Marlow Mill"]',
    default_slice_policy: 'head(7)',
  },
  file('@BAKERY/SLIP', 'notes/delivery-slip.md'),
  file('@BAKERY/STOCK', 'stock.json'),
  file('@BAKERY/INVOICES', 'invoices.csv'),
  file('@BAKERY/LOAF.v1', 'recipes/harbour-loaf.v1.md'),
  file('@BAKERY/LOAF.v2', 'recipes/harbour-loaf.v2.md'),
];

function file(symbol_id: string, path: string): SymbolRow {
  return { symbol_id, target_type: 'FILE', target_ref: path, default_slice_policy: 'head(7)' };
}
