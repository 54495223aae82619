import { Ajv, type Options } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import AjvOf4 from 'ajv-draft-04';
import { FORMATS } from '../../../../core/schema/formats.ts';

/** An older draft, with a compiler of another program for it. */
export interface OlderDraft {
  readonly folder: string;
  readonly age: number;
  readonly dialect: string;
  /** A new instance of the other program, which compiles its own vocabulary first. */
  readonly ajv: () => Ajv | AjvOf4 | Ajv2019;
}

/** The product's formats; a format that the product lacks is an annotation. No names are found on prototypes. */
const OPTIONS: Options = {
  strict: false,
  logger: false,
  formats: FORMATS,
  validateSchema: false,
  ownProperties: true,
  // Each validator sees a few values: a shorter program would take longer to make than it saves.
  code: { optimize: false },
};
/** Up to draft 7 keywords beside `$ref` count for nothing. */
const ALONE = { ...OPTIONS, ignoreKeywordsWithRef: true } as Options;

export const OLDER_DRAFTS: readonly OlderDraft[] = [
  {
    folder: 'draft4',
    age: 4,
    dialect: 'http://json-schema.org/draft-04/schema#',
    ajv: () => new AjvOf4(ALONE),
  },
  {
    folder: 'draft6',
    age: 6,
    dialect: 'http://json-schema.org/draft-06/schema#',
    ajv: () => new Ajv(ALONE),
  },
  {
    folder: 'draft7',
    age: 7,
    dialect: 'http://json-schema.org/draft-07/schema#',
    ajv: () => new Ajv(ALONE),
  },
  {
    folder: 'draft2019-09',
    age: 8,
    dialect: 'https://json-schema.org/draft/2019-09/schema',
    ajv: () => new Ajv2019(OPTIONS),
  },
];
