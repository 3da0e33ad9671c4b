import type { Logger } from 'pino'
import { BadInputError } from '../../errors.ts'
import { inTime } from '../../lib/waiting/in-time.ts'
import { untilAborted } from '../../lib/waiting/until-aborted.ts'
import type { UpstreamPool } from '../../upstream/types.ts'
import type {
  AddressAccount,
  BalanceSource,
  EvmBalances,
  NativeToken,
  Outcome,
  ReadContext,
  TokenCatalogue,
} from '../capabilities.ts'
import { type EvmLimits, evmLimits } from './limits.ts'
import { createNativeUnit } from './native-unit.ts'
import { balancesOf, undescribedTokens } from './owner-balances.ts'
import { createEvmReader } from './read/reader.ts'
import { NATIVE_TOKEN } from './read/reader-types.ts'
import { createBalanceSweep } from './sweep/balance-sweep.ts'
import { earlier } from './sweep/earlier.ts'
import { createSteadySweep } from './sweep/steady-sweep.ts'
import { createUnreadableTokens } from './sweep/unreadable-tokens.ts'
import { createFoundTokens, inRectangles, joined } from './tokens/found-tokens.ts'
import { createIndexedDiscovery, type IndexedTokens } from './tokens/indexed-tokens.ts'
import { createListedTokens } from './tokens/listed-tokens.ts'
import { createTokenDiscovery } from './tokens/token-discovery.ts'
import { createTokenMetadataReader } from './tokens/token-metadata.ts'
import { createUiMultipliers } from './tokens/ui-multipliers.ts'

export interface EvmBalanceSourceDeps {
  /** `eip155:<chain id>` */
  caip2Id: string
  native: NativeToken
  pool: UpstreamPool
  /** Pools asked which tokens an owner holds, one per server; left out = `pool`. */
  discoveryPools?: readonly UpstreamPool[]
  /** Multicall3, used only where nodes refuse the packed reads. */
  multicall?: string
  tokens: TokenCatalogue
  /** Our own index of the chain, which names unlisted tokens. */
  indexedTokens?: IndexedTokens
  limits?: Partial<EvmLimits>
  logger?: Pick<Logger, 'debug'>
}

/**
 * Native and ERC-20 balances of all accounts of a request at one block, in as few eth_calls as possible. A listed token
 * has the name of its list, others (found by an index or an upstream) the contract's. Decimals are the contract's; a
 * list's only if the contract gives none. A token without a readable balance, or an unlisted one without decimals, is
 * left out; a failed call is an error of the affected accounts.
 */
export function createEvmBalanceSource(deps: EvmBalanceSourceDeps): BalanceSource<AddressAccount, EvmBalances> {
  const { caip2Id, pool, logger } = deps
  const limits: EvmLimits = { ...evmLimits, ...deps.limits }
  const reader = createEvmReader(deps)
  const unreadable = createUnreadableTokens(limits.unreadableEntries, limits.unreadableMs, limits.firstUnreadableMs)
  const sweep = createSteadySweep(createBalanceSweep(reader, limits, unreadable), limits.lagBlocks, unreadable.forget)
  const metadata = createTokenMetadataReader(reader, limits)
  const multipliers = createUiMultipliers(limits)
  const nativeOf = createNativeUnit(caip2Id, deps.native)
  const offered = createTokenDiscovery({
    pools: deps.discoveryPools ?? [pool],
    limits,
    ...(logger && { logger }),
  })
  const discovery = deps.indexedTokens ? createIndexedDiscovery(deps.indexedTokens, offered, limits) : offered
  const listedTokens = createListedTokens(deps.tokens, caip2Id)
  const foundTokens = createFoundTokens({ caip2Id, catalogue: deps.tokens, limits, isUnreadable: unreadable.has })

  const readNow = async (owners: string[], context: ReadContext): Promise<Map<string, Outcome<EvmBalances>>> => {
    const listed = listedTokens()
    const asked = [...listed.keys()].filter((token) => !unreadable.covers(token, owners))
    const common = { owners, tokens: [NATIVE_TOKEN, ...asked] }
    const told = discovery.tokensOf(owners, earlier(context, LOOK_SHARE))
    // A call that need not wait is sent before other work gets a turn: it may be for the first item of a request.
    const atOnce = !(told instanceof Promise) ? told : discovery.isNear ? await told : undefined
    const isListed = (token: string): boolean => listed.has(token)
    const extras = atOnce
      ? foundTokens(atOnce, owners, isListed)
      : Promise.resolve(told).then((found) => foundTokens(found, owners, isListed))
    const together = extras instanceof Promise ? undefined : joined(common, extras.tokens, limits.pairsPerCall)
    const apart = async () => inRectangles((await extras).tokens, limits.pairsPerCall)
    const reading = together ? sweep.read([together], context) : sweep.read([common], context, apart())
    const [discovered, unlisted, result] = await Promise.all([told, extras, reading])
    for (const { token, owner } of result.failed) logger?.debug({ chain: caip2Id, token, owner }, 'unreadable token')
    // An unreadable name is no reason to lose the accounts that do not hold the token.
    const undescribed = undescribedTokens(result, unlisted.tokens)
    const described = await metadata.read(undescribed, earlier(context, NAMES_SHARE), result.block.number)
    const known = {
      caip2Id,
      listed,
      cut: unlisted.cut,
      decimalsOf: (token: string) => result.traits.get(token)?.decimals,
      multiplierOf: multipliers(result),
      nativeOf,
      ...described,
    }
    const outcome = (owner: string): Outcome<EvmBalances> => {
      const found = discovered.get(owner)
      const error = found?.ok === false ? found.error : result.errors.get(owner)
      return error
        ? { ok: false, error }
        : balancesOf(result, owner, { ...known, own: unlisted.tokens.get(owner) ?? [] })
    }
    return new Map(owners.map((owner) => [owner, outcome(owner)]))
  }

  const readOwners = async (owners: string[], context: ReadContext): Promise<Map<string, Outcome<EvmBalances>>> => {
    const look = discovery.firstLook(owners)
    const balances = await readNow(owners, context)
    // Without tokens that were forgotten in a restart, the answer would look as if they were spent.
    return look && (await soon(look, context)) ? readNow(owners, context) : balances
  }

  return {
    caip2Id,
    networkType: 'evm',
    native: deps.native,
    readBalances: async (accounts, context) => {
      const owners = [...new Set(accounts.map(({ id }) => id.toLowerCase()).filter(isAddress))].sort()
      const read = owners.length === 0 ? new Map<string, never>() : await readOwners(owners, context)
      const outcomes = accounts.map(({ id }): [string, Outcome<EvmBalances>] => [
        id,
        read.get(id.toLowerCase()) ?? { ok: false, error: new BadInputError(`not an EVM address: ${id.slice(0, 64)}`) },
      ])
      return new Map(outcomes)
    },
  }
}

/**
 * Shares of the remaining time: if unlisted tokens take too long, their owner becomes an error, and the others are
 * still answered.
 */
const LOOK_SHARE = 0.6
const NAMES_SHARE = 0.9

/** The first readers of a chain wait this much longer, or a third of their time, to learn of unlisted tokens. */
const FIRST_LOOK_MS = 500

/** The promise's result, or false if it takes too long. Rejects when the reader has left. */
function soon(telling: Promise<boolean>, { signal, deadline }: ReadContext): Promise<boolean> {
  const waitMs = Math.min(FIRST_LOOK_MS, (deadline - Date.now()) / 3)
  return untilAborted(
    inTime(telling, waitMs, () => false),
    signal,
  )
}

const isAddress = (text: string): boolean => /^0x[0-9a-f]{40}$/.test(text)
