import { createHash } from 'node:crypto';
import Ajv2020 from 'ajv/dist/2020.js';

/**
 * Receipt and Expansion of the Catalytic Chat Contract as JSON Schemas of their own: written from the contract, and from
 * `formats.md` for what the contract leaves open (the members of a result, `payload_ref`). They share nothing with the
 * forms that the product checks its records with.
 */
const UUID = '^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$';
const HASH = '^[0-9a-f]{64}$';
const SYMBOL = '^@(?!.*/\\.\\.?(/|$))[A-Za-z0-9]';
const SLICE = '^(lines\\[(0|[1-9]\\d*):[1-9]\\d*\\]|chars\\[(0|[1-9]\\d*):[1-9]\\d*\\]|(head|tail)\\([1-9]\\d*\\))$';
const text = (pattern: string) => ({ type: 'string', pattern });
const closed = (properties: object, required = Object.keys(properties)) => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
});

const REF = closed({ sha256: text(HASH), bytes: { type: 'integer', minimum: 0 }, salt: { const: 64 } }, [
  'sha256',
  'bytes',
]);

const EXPANSION = closed({
  run_id: text(UUID),
  symbol_or_section_id: { type: 'string', anyOf: [{ pattern: SYMBOL }, { pattern: HASH }] },
  slice: text(SLICE),
  content_hash: text(HASH),
  payload_ref: text(`^sha256:${HASH.slice(1)}`),
});

const ACTION = {
  ...closed({
    type: { enum: ['READ', 'WRITE', 'EXECUTE'] },
    target: text(SYMBOL),
    status: { enum: ['SUCCESS', 'FAILURE'] },
    result: { type: 'object' },
  }),
  oneOf: [
    { properties: { status: { const: 'SUCCESS' }, result: REF } },
    { properties: { status: { const: 'FAILURE' }, result: { type: 'object', maxProperties: 0 } } },
  ],
};

const status = (value: string) => ({ properties: { status: { const: value } } });
const actions = (rule: object) => ({ properties: { actions: rule } });

const RECEIPT = {
  ...closed({
    run_id: text(UUID),
    step_id: text(UUID),
    expanded: { type: 'array', items: EXPANSION },
    actions: { type: 'array', items: ACTION },
    outputs: { type: 'object', additionalProperties: REF },
    status: { enum: ['SUCCESS', 'FAILURE', 'PARTIAL'] },
  }),
  allOf: [
    { if: status('SUCCESS'), then: actions({ items: status('SUCCESS') }) },
    {
      if: status('PARTIAL'),
      then: actions({ allOf: ['SUCCESS', 'FAILURE'].map((each) => ({ contains: status(each) })) }),
    },
  ],
};

const ajv = new Ajv2020({ allErrors: true, strictTypes: false });
const isReceipt = ajv.compile(RECEIPT);

interface Told {
  readonly run_id: string;
  readonly expanded: readonly {
    readonly run_id: string;
    readonly content_hash: string;
    readonly payload_ref: string;
  }[];
}

/**
 * Faults of a receipt by the contract. `payload` gives the bytes of a payload; absent where they are not asked for. A
 * content hash is the SHA-256 of what stands behind its `payload_ref`.
 */
export function contractFaults(
  receipt: unknown,
  run_id: string,
  payload?: (sha256: string) => Uint8Array | undefined,
): readonly string[] {
  if (!isReceipt(receipt))
    return (isReceipt.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  const told = receipt as unknown as Told;
  return [
    ...(told.run_id === run_id ? [] : ['/run_id of another run']),
    ...told.expanded.flatMap((expansion, at) => {
      const { run_id: own, content_hash, payload_ref } = expansion;
      const bytes = payload?.(payload_ref.slice('sha256:'.length));
      const isOfBytes = bytes === undefined || createHash('sha256').update(bytes).digest('hex') === content_hash;
      return [
        ...(payload_ref === `sha256:${content_hash}` ? [] : [`/expanded/${at} names two contents`]),
        ...(own === run_id ? [] : [`/expanded/${at}/run_id of another run`]),
        ...(payload !== undefined && bytes === undefined ? [`/expanded/${at} leads to no bytes`] : []),
        ...(isOfBytes ? [] : [`/expanded/${at} is of other bytes`]),
      ];
    }),
  ];
}
