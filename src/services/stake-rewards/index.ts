/**
 * Rewards paid, current stake and expected rewards, for P-chain addresses or an extended public key. History comes from
 * Firn's own index: a node does not keep it.
 */
import { createDerivedAddresses } from '../../chains/avalanche/keys/derived-addresses.ts'
import { lastInUse } from '../../chains/avalanche/keys/earlier-use.ts'
import { KEY_CHAINS, type KeyChain } from '../../chains/avalanche/keys/key-scan.ts'
import { BadInputError, FirnError, NotFoundError } from '../../errors.ts'
import type { Side } from '../../facts/primary-network.ts'
import { parseBech32Address } from '../../lib/bytes/bech32-address.ts'
import { bytesToHex } from '../../lib/bytes/ids.ts'
import { type Caller, type IndexAge, type IndexReader, indexAge, isTooOld, oldIndexText } from '../../store/index.ts'
import { createIndexedUse } from './indexed-use.ts'

/** All in nAVAX. */
export interface StakeRewards {
  /** Rewards already paid: validation, delegation and delegation fees. */
  historical: bigint
  /** Currently staked amount owned by the addresses. */
  pendingStake: bigint
  /** What current stakes will pay if rewarded; a delegator's part is after the validator's fee. */
  estimated: bigint
  /** Where the index of P stood. */
  place: IndexAge
}

export interface StakeRewardsDeps {
  index: IndexReader
  /** True for a network that is configured here, so that its index may still come. */
  serves(side: Side): boolean
  /** Whether the configuration has this stream of a network indexed. */
  isIndexed(stream: string): boolean
  /** Rejects when the index is of another network than the one served under this name. */
  expectNetwork(side: Side): Promise<void>
  /** Maximum age of the index, milliseconds. */
  maxIndexAgeMs: number
  /** Unused addresses that end the scan of a key. */
  gap: number
  now?: () => number
}

export type StakeRewardsQuery = { side: Side; addresses: readonly string[] } | { side: Side; extendedPublicKey: string }

/** A chain is not indexed yet, or its index has stalled. */
export class StakeIndexError extends FirnError {
  constructor(
    message: string,
    /** Where an outdated index stands. */
    readonly place?: IndexAge,
  ) {
    super(message, { code: 'INDEX_UNAVAILABLE', status: 503, retryable: true, expose: true })
  }
}

/** A chain that the configuration leaves out will not be there later either. */
const notIndexed = (subject: string, isToCome: boolean): FirnError =>
  isToCome
    ? new StakeIndexError(`${subject} is not indexed yet`)
    : new FirnError(`${subject} is not indexed here`, { code: 'NOT_INDEXED', status: 503, expose: true })

/** Addresses per branch that are derived and looked up in one step. */
const WINDOW = 100
/** A key with more used addresses is refused: its sums would take minutes. */
export const MAX_DERIVED = 20_000

export function createStakeRewards(deps: StakeRewardsDeps) {
  const now = deps.now ?? Date.now
  const derived = createDerivedAddresses()
  const everUsed = createIndexedUse(deps.index)

  async function requireFresh(side: Side, letter: KeyChain): Promise<IndexAge> {
    const progress = (await deps.index.progress()).find(({ stream }) => stream === `${side}:${letter}`)
    const age = progress && indexAge(progress, now())
    if (!age && !deps.serves(side)) throw new NotFoundError(`the ${side} is not served here`)
    const isKept = deps.isIndexed(`${side}:${letter}`)
    if (!age) throw notIndexed(`the ${letter}-chain of the ${side}`, isKept)
    if (isTooOld(age, deps.maxIndexAgeMs)) {
      // It was indexed once, and no longer is.
      if (!isKept) throw notIndexed(`the ${letter}-chain of the ${side}`, isKept)
      const subject = `the index of the ${letter}-chain of the ${side}`
      throw new StakeIndexError(oldIndexText(subject, age, deps.maxIndexAgeMs), age)
    }
    return age
  }

  /** While X lags, an address used only there is unknown, and the addresses after it would be missing in the sums. */
  async function requireFreshScan(side: Side): Promise<void> {
    for (const letter of KEY_CHAINS)
      if (letter !== 'P' && deps.isIndexed(`${side}:${letter}`)) await requireFresh(side, letter)
  }

  /** Every address of both branches up to `gap` unused ones in a row; used = ever seen on P or X, as for balances. */
  async function scan(side: string, key: string, caller: Caller | undefined): Promise<string[]> {
    const found: string[] = []
    for (const branch of [0, 1] as const) {
      let unused = 0
      for (let first = 0; unused < deps.gap; first += WINDOW) {
        if (found.length >= MAX_DERIVED)
          throw new BadInputError('the extended public key has too many addresses in use')
        const window = (await derived.range(key, branch, first, first + WINDOW, 'avax', caller?.signal)).map(
          ({ hex }) => hex,
        )
        const last = await lastInUse(window, everUsed(side, caller))
        unused = last < 0 ? unused + WINDOW : WINDOW - 1 - last
        found.push(...window)
      }
    }
    return found
  }

  return {
    /**
     * @param caller on whose behalf the index is read; left out: no particular client's
     * @throws BadInputError for a wrong address or key, NotFoundError for a network that is not configured,
     * StakeIndexError when the index cannot answer
     */
    async read(query: StakeRewardsQuery, caller?: Caller): Promise<StakeRewards> {
      const addresses = 'addresses' in query ? query.addresses.map(addressOf) : undefined
      await deps.expectNetwork(query.side)
      const place = await requireFresh(query.side, 'P')
      if (!addresses) await requireFreshScan(query.side)
      const all =
        addresses ?? (await scan(query.side, (query as { extendedPublicKey: string }).extendedPublicKey, caller))
      const sums = await deps.index.rewards.sums(query.side, [...new Set(all)], caller)
      const { VALIDATOR, DELEGATOR, VALIDATOR_FEE } = sums.historical
      return {
        historical: VALIDATOR + DELEGATOR + VALIDATOR_FEE,
        pendingStake: sums.stakeOwned,
        estimated: sums.pending.validator + sums.pending.delegatorNet,
        place,
      }
    },
  }
}

export type StakeRewardsService = ReturnType<typeof createStakeRewards>

function addressOf(text: string): string {
  try {
    return bytesToHex(parseBech32Address(text).bytes)
  } catch (error) {
    throw new BadInputError(`address ${text} is malformed or has a bad checksum`, error)
  }
}
