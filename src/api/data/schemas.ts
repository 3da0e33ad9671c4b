import { type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox'

/** What we send has no further members; clients must not rely on more. */
export const closed = <T extends TProperties>(title: string, properties: T): TObject<T> =>
  Type.Object(properties, { additionalProperties: false, title })

/** `enum` instead of `anyOf` of constants: one clear message, one line in the document. */
export const oneOf = <const T extends readonly string[]>(values: T, options: Record<string, unknown> = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options })

export const NetworkSchema = oneOf(['mainnet', 'fuji', 'testnet'], {
  title: 'Network',
  description: '`fuji` and `testnet` are the same network.',
})
export const SortOrderSchema = oneOf(['asc', 'desc'], { title: 'SortOrder', default: 'desc' })

const PageTokenSchema = Type.Optional(
  Type.String({ description: '`nextPageToken` of the page before; all other parameters as in that call.' }),
)
const pageSizeSchema = (maximum = 100) =>
  Type.Integer({ minimum: 1, maximum, default: 10, description: 'Largest number of items in the answer.' })

export const pagingQuery = (maximum = 100) => ({ pageToken: PageTokenSchema, pageSize: pageSizeSchema(maximum) })

export const NextPageTokenSchema = Type.Optional(
  Type.String({ description: 'Left out when there is no further page.' }),
)

/**
 * Unix seconds up to the year 9999; a larger number is a mistake (milliseconds, for example), and no database could
 * compare it.
 */
export const unixSeconds = (description: string) => Type.Integer({ minimum: 0, maximum: 253_402_300_799, description })

export const ChainInfoSchema = closed('PrimaryNetworkChainInfo', {
  chainName: oneOf(['p-chain', 'x-chain', 'c-chain'], { title: 'PrimaryNetworkChainName' }),
  network: oneOf(['mainnet', 'fuji'], { title: 'PrimaryNetworkType' }),
})

const errorSchema = (name: string) =>
  closed(name, {
    message: Type.Union([Type.String(), Type.Array(Type.String())]),
    error: Type.String(),
    statusCode: Type.Number(),
  })

const ERRORS = {
  400: ['BadRequest', 'Invalid or malformed parameters; the message says which and why.'],
  401: ['Unauthorized', 'Credential missing.'],
  403: ['Forbidden', 'No privilege for this.'],
  404: ['NotFound', 'Unknown path or thing.'],
  429: ['TooManyRequests', 'Compute units used up; `retry-after` says when to retry.'],
  500: ['InternalServerError', 'Unexpected failure of this server.'],
  502: ['BadGateway', 'A server behind this one sent an invalid answer.'],
  503: ['ServiceUnavailable', 'The index is too old, or a server behind this one does not answer.'],
} as const

/** The error statuses of every operation of this API (indexed data spec, errors). */
export const errorResponses = Object.fromEntries(
  Object.entries(ERRORS).map(([status, [name, description]]) => [
    status,
    { description, content: { 'application/json': { schema: errorSchema(name) } } },
  ]),
)

export const answers = (status: number, description: string, schema: TSchema) => ({
  [status]: { description, content: { 'application/json': { schema } } },
  ...errorResponses,
})
