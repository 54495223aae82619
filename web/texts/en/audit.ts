import { type Area, area } from '../area.ts';
import { number } from '../intl.ts';

const en = {
  /** Name of an open run of this device. */
  run: (id: string): string => `run ${id}`,
  empty: 'The file is empty.',
  noRecord: (name: string): string =>
    `${name} holds no record of a run. Open what Export saved, or a page that was saved here.`,
  /** Follows `noRecord` where another file is open. */
  still: (name: string): string => ` Below is still ${name}.`,
  tooLarge: (bytes: number, megabytes: number): string =>
    `Too large: ${number(bytes)} bytes, the limit is ${megabytes} MB. Use the command line.`,
  unfoldsTooFar: (megabytes: number): string =>
    `This saved page unfolds to more than ${megabytes} MB. Use the command line.`,
  /** The subject of a hash. */
  hashes: {
    record: (seq: number, kind: string): string => `record ${seq} (${kind}), its body by the body's hash`,
    body: (seq: number, kind: string): string => `the body of record ${seq} (${kind})`,
    nothing: 'nothing: no record is before the first',
    previous: (seq: number): string => `record ${seq}, named by the next`,
    head: 'the last record, named by the end line',
    root: 'all records as a Merkle tree, named by the end line',
    payload: (path: string, seq: number): string => `the bytes of the payload “${path}” of record ${seq}`,
    member: (path: string, seq: number): string => `${path}, in record ${seq}`,
  },
};

export type AuditTexts = typeof en;
export const audit: Area<AuditTexts> = area('audit', en);
