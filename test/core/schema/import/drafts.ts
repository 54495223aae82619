import { Ajv, type Options, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import AjvOf4 from 'ajv-draft-04';
import { FORMATS } from '../../../../core/schema/formats.ts';

/** An older draft, with a compiler of another program for it. */
export interface OlderDraft {
  readonly folder: string;
  readonly age: number;
  readonly dialect: string;
  compile(schema: object): ValidateFunction;
}

/** The product's formats; a format that the product lacks is an annotation. No names are found on prototypes. */
const OPTIONS: Options = { strict: false, logger: false, formats: FORMATS, validateSchema: false, ownProperties: true };
/** Up to draft 7 keywords beside `$ref` count for nothing. */
const ALONE = { ...OPTIONS, ignoreKeywordsWithRef: true } as Options;

export const OLDER_DRAFTS: readonly OlderDraft[] = [
  {
    folder: 'draft4',
    age: 4,
    dialect: 'http://json-schema.org/draft-04/schema#',
    compile: (schema) => new AjvOf4(ALONE).compile(schema),
  },
  {
    folder: 'draft6',
    age: 6,
    dialect: 'http://json-schema.org/draft-06/schema#',
    compile: (schema) => new Ajv(ALONE).compile(schema),
  },
  {
    folder: 'draft7',
    age: 7,
    dialect: 'http://json-schema.org/draft-07/schema#',
    compile: (schema) => new Ajv(ALONE).compile(schema),
  },
  {
    folder: 'draft2019-09',
    age: 8,
    dialect: 'https://json-schema.org/draft/2019-09/schema',
    compile: (schema) => new Ajv2019(OPTIONS).compile(schema),
  },
];
