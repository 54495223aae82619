import type { Tables } from '../area.ts';
import { amounts } from './amounts.ts';
import { approval, rewriting } from './approval.ts';
import { audit, auditView, savedPage } from './audit-view.ts';
import { attacks, breakout, lab } from './breakout.ts';
import { capabilities, workshop } from './capabilities.ts';
import { captions } from './captions.ts';
import { corpus, corpusView } from './corpus.ts';
import { incidents } from './incidents.ts';
import { gates, held, inspector, inspectorParts, takeBack } from './inspector.ts';
import { learn, lessons } from './learn.ts';
import { endpoint, endpointDialog, models } from './models.ts';
import { parts, prices } from './parts.ts';
import { passkeys } from './passkeys.ts';
import { records } from './records.ts';
import { remedies } from './remedies.ts';
import { rules } from './rules.ts';
import { run } from './run.ts';
import { selftest } from './selftest.ts';
import { report, send } from './send.ts';
import { compare, copyCode, gallery, proposeForm, setup } from './setup.ts';
import { about, guide, help, shell } from './shell.ts';
import { storage, storageDialog } from './storage.ts';
import { timeline, waterfall } from './timeline.ts';

/** The German texts of every area, and the captions of the scripts. */
export const de: Tables = {
  about,
  amounts,
  approval,
  attacks,
  audit,
  'audit-view': auditView,
  breakout,
  capabilities,
  captions,
  compare,
  'copy-code': copyCode,
  corpus,
  'corpus-view': corpusView,
  endpoint,
  'endpoint-dialog': endpointDialog,
  gallery,
  gates,
  guide,
  held,
  help,
  incidents,
  inspector,
  'inspector-parts': inspectorParts,
  lab,
  learn,
  lessons,
  models,
  parts,
  passkeys,
  prices,
  'propose-form': proposeForm,
  records,
  remedies,
  report,
  rewriting,
  rules,
  run,
  'saved-page': savedPage,
  selftest,
  send,
  setup,
  shell,
  storage,
  'storage-dialog': storageDialog,
  'take-back': takeBack,
  timeline,
  waterfall,
  workshop,
};
