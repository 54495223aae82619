/** A file or a database holds a value that no ledger writes. */
export class AlteredData extends Error {
  override readonly name = 'AlteredData';
}
