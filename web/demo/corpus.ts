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

/** The papers of Kestrel Street Bakery, by path: all invented, all in the bundle, one of them poisoned. */
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
