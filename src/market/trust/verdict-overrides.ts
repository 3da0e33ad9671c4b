import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { BadInputError } from '../../errors.ts'
import { addressKey } from '../prices/prices.ts'

/**
 * Verdicts set by the operator; an allow list consists of `Benign`, a deny list of `Malicious` or `Spam`:
 *
 *     { "eip155:43114": { "0x…": "Benign", "0x…": "Malicious" }, "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp": { "…": "Spam" } }
 */
const OverrideTableSchema = Type.Record(
  Type.String(),
  Type.Record(
    Type.String(),
    Type.Union([Type.Literal('Benign'), Type.Literal('Malicious'), Type.Literal('Warning'), Type.Literal('Spam')]),
  ),
)
type OverrideTable = Static<typeof OverrideTableSchema>

/** By `caip2Id/address`, hex addresses in lower case. */
export type Overrides = ReadonlyMap<string, OverrideTable[string][string]>

export const EMPTY_OVERRIDES: Overrides = new Map()

const overridesOf = (table: OverrideTable): Overrides =>
  new Map(
    Object.entries(table).flatMap(([caip2Id, verdicts]) =>
      Object.entries(verdicts).map(([address, verdict]) => [`${caip2Id}/${addressKey(address)}`, verdict] as const),
    ),
  )

/**
 * Parses a file of verdicts.
 * @throws BadInputError naming the first wrong place; SyntaxError when it is not JSON.
 */
export const parseOverrides = (text: string): Overrides => {
  const document: unknown = JSON.parse(text)
  if (Value.Check(OverrideTableSchema, document)) return overridesOf(document)
  const [first] = Value.Errors(OverrideTableSchema, document)
  throw new BadInputError(`${first?.path || '/'}: ${first?.message ?? 'not a table of verdicts'}`)
}
