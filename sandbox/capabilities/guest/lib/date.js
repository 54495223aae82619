/**
 * A civil date; refuses a day that no calendar has.
 *
 * @param {string} text YYYY-MM-DD
 *
 * @returns {{ year: number, month: number, day: number }}
 */
export function parseDate(text) {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  const [year = 0, month = 0, day = 0] = (match ?? []).slice(1).map(Number);
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) {
    throw new RangeError(`No such day: ${JSON.stringify(text)}. Dates are YYYY-MM-DD.`);
  }
  return { year, month, day };
}

/**
 * @param {{ year: number, month: number, day: number }} date
 *
 * @returns {string}
 */
export function formatDate({ year, month, day }) {
  if (year < 1 || year > 9999) throw new RangeError('The year has to stay between 1 and 9999.');
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

/**
 * @param {number} year
 *
 * @param {number} month 1 to 12
 */
export function daysIn(year, month) {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

/**
 * Days since 1970-01-01, counted from March so that the leap day comes last.
 *
 * @param {{ year: number, month: number, day: number }} date
 */
export function dayNumber({ year, month, day }) {
  const y = month > 2 ? year : year - 1;
  const sinceMarch = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  return 365 * y + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) + sinceMarch - 719468;
}

/**
 * The inverse of `dayNumber`, for years from 1 on.
 *
 * @param {number} number
 */
export function dateOf(number) {
  const days = number + 719468;
  const era = Math.floor(days / 146097);
  const ofEra = days - era * 146097;
  const yearOfEra = Math.floor(
    (ofEra - Math.floor(ofEra / 1460) + Math.floor(ofEra / 36524) - Math.floor(ofEra / 146096)) / 365,
  );
  const ofYear = ofEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const fromMarch = Math.floor((5 * ofYear + 2) / 153);
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  const day = ofYear - Math.floor((153 * fromMarch + 2) / 5) + 1;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}

/** @param {number} number */
export function weekdayOf(number) {
  const names = ['Thursday', 'Friday', 'Saturday', 'Sunday', 'Monday', 'Tuesday', 'Wednesday'];
  return names[((number % 7) + 7) % 7] ?? '';
}
