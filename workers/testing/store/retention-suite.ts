import { archiveSuite } from './archive-suite.ts';
import { backupSuite } from './backup-suite.ts';
import { hostileBackupSuite } from './hostile-backup-suite.ts';
import { removalSuite } from './removal-suite.ts';
import type { StorePlace } from './store-place.ts';

/** Tests of archives, deletion, erasure and backups that every store passes. */
export function retentionSuite(name: string, newPlace: () => Promise<StorePlace>): void {
  archiveSuite(name, newPlace);
  removalSuite(name, newPlace);
  backupSuite(name, newPlace);
  hostileBackupSuite(name, newPlace);
}
