import type { JsonObject } from '../json/value.ts';
import { OBJECT, type OptionTypes, optionsOf, TEXT } from '../option.ts';
import { refusalError } from '../sallyport-error.ts';
import { QUARANTINE_ASK } from './built-in-power.ts';
import { type CapabilityDefinition, define } from './define.ts';

export interface QuestionOptions {
  readonly name: string;
  /** Asked about each value. Absent: each call brings its own question. */
  readonly question?: string;
  /** JSON Schema of the answers. With few values a grant with `release` lets them out. */
  readonly result: JsonObject;
  readonly description?: string;
  readonly version?: string;
}

const OPTIONS: OptionTypes = { name: TEXT, question: TEXT, result: OBJECT, description: TEXT, version: TEXT };

/**
 * A capability that asks the quarantined model of the runtime (`openRuntime({ quarantine })`) a question about a value, most
 * often a handle. That model gets the question, the value and the schema of the answer: no history, and nothing that it
 * could call. It has one attempt. What is no JSON, or no value of the schema, is no answer, and the call has failed.
 * Throws `SallyportError`: `option_invalid`, `definition_invalid`, `schema_refused`.
 *
 * @example defineQuestion({ name: 'invoice.paid', question: 'Is it paid?', result: { type: 'boolean' } })
 */
export function defineQuestion(options: QuestionOptions): CapabilityDefinition {
  const { name, question, result, description, version = '1.0.0' } = optionsOf(options, OPTIONS, ['name', 'result']);
  const isFixed = question !== undefined;
  const definition: CapabilityDefinition = {
    name,
    version,
    description: description ?? (isFixed ? `Answers about a value: ${question}` : 'Answers a question about a value.'),
    args: {
      type: 'object',
      properties: { value: {}, ...(isFixed ? {} : { question: { type: 'string' } }) },
      required: isFixed ? ['value'] : ['question', 'value'],
      additionalProperties: false,
    },
    result,
    effect: 'read',
    // those of the value and of the power come beside
    labels: [],
    powers: [QUARANTINE_ASK],
    source: sourceFor(question, result),
  };
  const made = define(definition);
  if (!made.ok) throw refusalError(made.refusal);
  return definition;
}

function sourceFor(question: string | undefined, schema: JsonObject): string {
  const asked = question === undefined ? 'question' : JSON.stringify(question);
  return `export default async ({ question, value }, powers) => {
  const said = await powers.quarantine.ask({ question: ${asked}, value, schema: ${JSON.stringify(schema)} });
  if (!('answer' in said)) throw new Error('no answer');
  return said.answer;
};
`;
}
