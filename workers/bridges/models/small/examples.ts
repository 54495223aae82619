/**
 * Tasks for a page to offer: the small model has met their like, not themselves.
 *
 * @experimental
 */
export const SMALL_MODEL_EXAMPLES: readonly string[] = [
  'What is 17 + 25?',
  'How much do 12 bags at 20.60 cost?',
  'Convert 2.5 kg to pounds',
  'What date is 10 days after 2025-11-22?',
  'Keep a note named oven-3: the left corner burns',
  'How many rows in invoices.csv have supplier Marlow Mill?',
  'Read lines 11 to 18 of notes/suppliers.md',
  'Convert 38 kg to lb and note it as rye',
  'Simulate a dough mixed at 21:00 at 18 degrees in steps of 0 minutes',
  'What is 10 / 0?',
  'What is the capital of France?',
];

/**
 * Limits of the small model in a sentence, for the same page.
 *
 * @experimental
 */
export const SMALL_MODEL_LIMITS =
  'It has 0.7 million parameters and knows fifteen tools and short English tasks: it calls a wrong tool or says a wrong number with the same fluency as a right one, so trust the receipt and not its words.';
