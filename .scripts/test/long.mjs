// The test files that take ten times as long as most. A run without times of an earlier run knows them by this list.
const LONG =
  /\/(secret\/secret|sandbox\/(threads|workers|engines|hostile)|schema\/(laws|hostile)|capability\/authority|ledger\/tree|run\/laws|replay\/(flips|replay|hungry)|mirror\/[\w-]+|runtime\/powers|cli\/many|client\/follow|web\/page)\.[\w.]+$|\.process\.test\.ts$/;

/** @param {string} file path with `/`
 * @returns {boolean} */
export function isLong(file) {
  return LONG.test(file);
}
