import { type Devices, fillDevices } from '../devices/table.ts';
import type { ScaleResults } from './curves/results.ts';
import { fillScale } from './curves/tables.ts';
import { type DojoResults, fillDojo } from './dojo/table.ts';
import type { Results } from './results.ts';
import { fillStarts, type StartResults } from './starts.ts';
import { fillTables } from './tables.ts';

/** Marks of tables in a text. */
const MARK = /^\[\/\/\]: # \((?:bench|devices|scale|start|dojo): /m;

/**
 * A page of the documentation with its tables of measurements, from the committed results. `read` gives the text of a
 * file by its path from the root. Throws for a mark that no table has.
 */
export function withMeasurements(text: string, read: (path: string) => string): string {
  if (!MARK.test(text)) return text;
  const results = JSON.parse(read('test/bench/results.json')) as Results;
  const scale = JSON.parse(read('test/bench/scale.json')) as ScaleResults;
  const start = JSON.parse(read('test/bench/start.json')) as StartResults;
  const dojo = JSON.parse(read('test/bench/dojo.json')) as DojoResults;
  const devices = JSON.parse(read('test/devices/devices.json')) as Devices;
  return fillDevices(fillDojo(fillStarts(fillScale(fillTables(text, results), scale), start), dojo), devices);
}
