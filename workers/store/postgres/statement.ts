import { sha256Hex } from '../../../core/hash.ts';
import { encodeText } from '../../../core/json/utf8.ts';

/** A statement that each append runs. Its name is made of its text. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** A statement that a session may keep prepared. */
export function makeStatement(text: string): Statement {
  return { name: `sallyport ${sha256Hex(encodeText(text)).slice(0, 16)}`, text };
}

/** A statement and its values: text that the server reads, or bytes. */
export interface BoundStatement {
  readonly statement: Statement;
  readonly values: readonly (string | Buffer)[];
}
