import { type Static, Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { BadInputError, FirnError } from '../../errors.ts'
import { isRecord } from '../../lib/json/json-record.ts'
import { createRateLimitedLog } from '../../lib/logging/rate-limited-log.ts'
import { StakeIndexError, type StakeRewardsService } from '../../services/stake-rewards/index.ts'
import { callerOf } from '../plugins/caller.ts'
import { tellIndexPlace } from '../plugins/index-place.ts'
import { type Refused, UNKNOWN_PREFIX } from './by-prefixes.ts'
import { refuse, refuseForNow, refusePayload } from './errors.ts'
import { STAKE_EXAMPLE } from './examples.ts'
import { collect, type Issue, issue, NO_OBJECT } from './issues.ts'
import { bech32Of, EXTENDED_KEY_PATTERN } from './request-schema.ts'
import { reasonSchema } from './response-schema.ts'
import { bodyResponses, commonResponses, jsonBody } from './route-schemas.ts'

/** Request shapes of get-rewards for the given human-readable prefixes (stake spec, request). */
export function createStakeSchemas(hrps: readonly string[]) {
  const isTestnet = Type.Boolean({ description: 'True: the testnet, whatever the prefix of the addresses.' })
  const KeySchema = Type.Object(
    { extendedPublicKey: Type.String({ pattern: EXTENDED_KEY_PATTERN }), isTestnet },
    { title: 'StakeRewardsByKey' },
  )
  const AddressesSchema = Type.Object(
    {
      addresses: Type.Array(Type.String({ pattern: `^P-${bech32Of(hrps)}` }), { minItems: 1, maxItems: 100 }),
      isTestnet,
    },
    { title: 'StakeRewardsByAddresses' },
  )
  return { KeySchema, AddressesSchema }
}

type StakeSchemas = ReturnType<typeof createStakeSchemas>

type StakeBody = Static<StakeSchemas['KeySchema']> | Static<StakeSchemas['AddressesSchema']>
type StakeChecked = { ok: true; body: StakeBody } | Refused

/** Checks a get-rewards body. Returns issues instead of throwing. */
export function createStakeCheck({ KeySchema, AddressesSchema }: StakeSchemas): (body: unknown) => StakeChecked {
  const byKey = TypeCompiler.Compile(KeySchema)
  const byAddresses = TypeCompiler.Compile(AddressesSchema)
  const issuesOf = (body: unknown): Issue[] => {
    if (!isRecord(body)) return [NO_OBJECT]
    // It is unclear whose rewards are meant, and a guess would be a wrong sum.
    if ('extendedPublicKey' in body && 'addresses' in body)
      return [issue([], 'invalid_shape', 'must hold either extendedPublicKey or addresses, not both')]
    const check = 'extendedPublicKey' in body ? byKey : byAddresses
    return check.Check(body) ? [] : collect(check.Errors(body), [])
  }
  return (body) => {
    const issues = issuesOf(body)
    return issues.length === 0 ? { ok: true, body: body as StakeBody } : { ok: false, issues }
  }
}

const amount = (description: string) => Type.String({ pattern: '^[0-9]+$', description: `${description} nAVAX.` })
const StakeRewardsSchema = Type.Object(
  {
    historicalRewardsAmount: amount('Rewards paid.'),
    pendingStakeAmount: amount('Current stake.'),
    estimatedRewardAmount: amount(
      'Estimated rewards of running stakes; for delegators after the fee of their validator.',
    ),
  },
  { additionalProperties: false, title: 'GetStakeRewardsResponse' },
)

export const stakeRouteSchema = ({ KeySchema, AddressesSchema }: StakeSchemas): FastifySchema => ({
  operationId: 'postV1StakeGetRewards',
  tags: ['Stake'],
  summary: 'Get stake rewards',
  description: 'Sums over all given P-chain addresses, or over all addresses below an extended public key.',
  body: Type.Union([KeySchema, AddressesSchema], { title: 'GetStakeRewardsRequestBody', examples: [STAKE_EXAMPLE] }),
  response: {
    200: jsonBody('Rewards and stake.', StakeRewardsSchema),
    ...bodyResponses,
    ...commonResponses,
    404: jsonBody('The network is not configured here.', reasonSchema('NOT_FOUND')),
    503: jsonBody(
      'Nothing is indexed here, or the index is not ready or too old.',
      reasonSchema('SERVICE_UNAVAILABLE'),
    ),
  },
})

/** Unknown network, unavailable or lagging database, timeout: none is a bug of this server. */
const EXPECTED = new Set([404, 503, 504])

const NO_INDEX = 'this server has no index: start it with --index-enabled'

/**
 * The route's handler. `rewards` is undefined where nothing is indexed: the answer is then 503, never zeros. Only
 * temporary errors carry `retry-after`.
 */
export function createStakeHandler(
  check: (body: unknown) => StakeChecked,
  rewards: StakeRewardsService | undefined,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  const rateLimited = createRateLimitedLog()

  return async (request, reply) => {
    const checked = check(request.body)
    if (!checked.ok)
      return checked.isEarly ? refuseForNow(reply, UNKNOWN_PREFIX) : refusePayload(request, reply, checked.issues)
    const { body } = checked
    if (!rewards) return refuse(reply, 503, NO_INDEX)
    try {
      const side = body.isTestnet ? 'testnet' : 'mainnet'
      const sums = await rewards.read(
        'addresses' in body ? { side, addresses: body.addresses } : { side, extendedPublicKey: body.extendedPublicKey },
        callerOf(request, reply),
      )
      return tellIndexPlace(reply, sums.place.height.toString(), sums.place)
        .type('application/json; charset=utf-8')
        .send(
          JSON.stringify({
            historicalRewardsAmount: sums.historical.toString(),
            pendingStakeAmount: sums.pendingStake.toString(),
            estimatedRewardAmount: sums.estimated.toString(),
          }),
        )
    } catch (error) {
      if (error instanceof BadInputError) {
        const path = 'addresses' in body ? ['addresses'] : ['extendedPublicKey']
        return refusePayload(request, reply, [issue(path, 'invalid_format', error.message)])
      }
      if (error instanceof FirnError && EXPECTED.has(error.status)) {
        rateLimited(error.name, (others) =>
          request.log.warn({ ...others, err: error }, 'stake rewards could not be read'),
        )
        const reason = error.expose ? error.message : 'the index cannot be read'
        if (error.status === 404) return refuse(reply, 404, reason)
        if (!error.retryable) return refuse(reply, 503, reason)
        if (error instanceof StakeIndexError && error.place)
          tellIndexPlace(reply, error.place.height.toString(), error.place)
        return refuseForNow(reply, reason)
      }
      throw error
    }
  }
}
