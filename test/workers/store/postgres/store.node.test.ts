import { test } from 'vitest';
import { retentionSuite } from '../../kernel/retention-suite.ts';
import { storeSuite } from '../store-suite.ts';
import { tableSuite } from '../table-suite.ts';
import { ABSENT, HAS_SERVER, makePlaces } from './place.ts';

if (!HAS_SERVER) test.skip(ABSENT, () => undefined);
else {
  const newPlace = makePlaces();
  storeSuite('in PostgreSQL', newPlace, 15);
  tableSuite('in PostgreSQL', newPlace);
  retentionSuite('in PostgreSQL', newPlace);
}
