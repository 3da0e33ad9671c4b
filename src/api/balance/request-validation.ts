import type { TSchema } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { NAMESPACES } from '../../facts/caip.ts'
import { isRecord } from '../../lib/json/json-record.ts'
import { collect, type Issue, issue, MAX_ISSUES, NO_OBJECT } from './issues.ts'
import {
  BitcoinItemSchema,
  EvmItemSchema,
  namesCoreth,
  type RequestBody,
  type RequestSchemas,
  SolanaItemSchema,
} from './request-schema.ts'

type Validation = { ok: true; body: RequestBody } | { ok: false; issues: Issue[] }

/**
 * Checks a get-balances body. The namespace (for avax also the references) selects the shape of an item, so that issues
 * report that shape only. Returns issues instead of throwing. Rule: balance spec, request item shapes.
 */
export function createRequestValidator(schemas: RequestSchemas): (body: unknown) => Validation {
  const { data: _items, ...members } = schemas.BodySchema.properties
  const envelope = TypeCompiler.Compile({
    ...schemas.BodySchema,
    required: [],
    properties: members,
  } as unknown as TSchema)
  const checks = {
    eip155: TypeCompiler.Compile(EvmItemSchema),
    bip122: TypeCompiler.Compile(BitcoinItemSchema),
    solana: TypeCompiler.Compile(SolanaItemSchema),
    coreth: TypeCompiler.Compile(schemas.CorethItemSchema),
    xp: TypeCompiler.Compile(schemas.XpItemSchema),
  }

  const checkItem = (item: unknown, at: number): Issue[] => {
    if (!isRecord(item)) return [issue(['data', at], 'invalid_type', 'must be an object')]
    const shape = chooseShape(item)
    if (shape === undefined) {
      return [issue(['data', at, 'namespace'], 'invalid_value', `must be one of: ${NAMESPACES.join(', ')}`)]
    }
    const check = checks[shape]
    return check.Check(item) ? [] : collect(check.Errors(item), ['data', at])
  }

  return (body) => {
    if (!isRecord(body)) return { ok: false, issues: [NO_OBJECT] }
    const issues = envelope.Check(body) ? [] : collect(envelope.Errors(body), [])
    const { data } = body
    if (!Array.isArray(data)) issues.push(issue(['data'], 'invalid_type', 'must be an array of 1 to 5 items'))
    else if (data.length < 1 || data.length > 5) {
      issues.push(issue(['data'], 'invalid_size', `must hold 1 to 5 items, got ${data.length}`))
    } else issues.push(...data.flatMap(checkItem))
    return issues.length === 0
      ? { ok: true, body: body as unknown as RequestBody }
      : { ok: false, issues: issues.slice(0, MAX_ISSUES) }
  }
}

type Shape = 'eip155' | 'bip122' | 'solana' | 'coreth' | 'xp'

function chooseShape(item: Record<string, unknown>): Shape | undefined {
  switch (item['namespace']) {
    case 'eip155':
    case 'bip122':
    case 'solana':
      return item['namespace']
    case 'avax': {
      const references = Array.isArray(item['references']) ? item['references'] : []
      return namesCoreth(references) ? 'coreth' : 'xp'
    }
    default:
      return undefined
  }
}
