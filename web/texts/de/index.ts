import type { Tables } from '../area.ts';
import { about } from './about.ts';
import { amounts } from './amounts.ts';
import { approval } from './approval.ts';
import { attacks } from './attacks.ts';
import { audit } from './audit.ts';
import { auditView } from './audit-view.ts';
import { breakout } from './breakout.ts';
import { capabilities } from './capabilities.ts';
import { captions } from './captions.ts';
import { compare } from './compare.ts';
import { copyCode } from './copy-code.ts';
import { corpus } from './corpus.ts';
import { corpusView } from './corpus-view.ts';
import { endpoint } from './endpoint.ts';
import { endpointDialog } from './endpoint-dialog.ts';
import { gallery } from './gallery.ts';
import { gates } from './gates.ts';
import { guide } from './guide.ts';
import { help } from './help.ts';
import { inspector } from './inspector.ts';
import { inspectorParts } from './inspector-parts.ts';
import { lab } from './lab.ts';
import { learn } from './learn.ts';
import { askAPerson } from './lessons/ask-a-person.ts';
import { breakOut } from './lessons/break-out.ts';
import { errorsAreAnswers } from './lessons/errors-are-answers.ts';
import { flipOneByte } from './lessons/flip-one-byte.ts';
import { formIsNotMeaning } from './lessons/form-is-not-meaning.ts';
import { onlyText } from './lessons/only-text.ts';
import { poisonedNote } from './lessons/poisoned-note.ts';
import { pullThePlug } from './lessons/pull-the-plug.ts';
import { sixGates } from './lessons/six-gates.ts';
import { smallWindows } from './lessons/small-windows.ts';
import { validIsNotAllowed } from './lessons/valid-is-not-allowed.ts';
import { whatAChainCannotProve } from './lessons/what-a-chain-cannot-prove.ts';
import { writeACapability } from './lessons/write-a-capability.ts';
import { models } from './models.ts';
import { parts } from './parts.ts';
import { prices } from './prices.ts';
import { proposeForm } from './propose-form.ts';
import { records } from './records.ts';
import { remedies } from './remedies.ts';
import { report } from './report.ts';
import { rewriting } from './rewriting.ts';
import { run } from './run.ts';
import { savedPage } from './saved-page.ts';
import { send } from './send.ts';
import { setup } from './setup.ts';
import { shell } from './shell.ts';
import { storage } from './storage.ts';
import { storageDialog } from './storage-dialog.ts';
import { timeline } from './timeline.ts';
import { waterfall } from './waterfall.ts';
import { workshop } from './workshop.ts';

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
  help,
  inspector,
  'inspector-parts': inspectorParts,
  lab,
  learn,
  'lessons/ask-a-person': askAPerson,
  'lessons/break-out': breakOut,
  'lessons/errors-are-answers': errorsAreAnswers,
  'lessons/flip-one-byte': flipOneByte,
  'lessons/form-is-not-meaning': formIsNotMeaning,
  'lessons/only-text': onlyText,
  'lessons/poisoned-note': poisonedNote,
  'lessons/pull-the-plug': pullThePlug,
  'lessons/six-gates': sixGates,
  'lessons/small-windows': smallWindows,
  'lessons/valid-is-not-allowed': validIsNotAllowed,
  'lessons/what-a-chain-cannot-prove': whatAChainCannotProve,
  'lessons/write-a-capability': writeACapability,
  models,
  parts,
  prices,
  'propose-form': proposeForm,
  records,
  remedies,
  report,
  rewriting,
  run,
  'saved-page': savedPage,
  send,
  setup,
  shell,
  storage,
  'storage-dialog': storageDialog,
  timeline,
  waterfall,
  workshop,
};
