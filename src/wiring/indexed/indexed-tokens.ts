import { setTimeout as delay } from 'node:timers/promises'
import type { IndexedTokens } from '../../chains/evm/index.ts'
import { catalogue } from '../../config/catalogue/index.ts'
import type { Config } from '../../config/index.ts'
import { UpstreamUnavailableError } from '../../errors.ts'
import { SIDES } from '../../facts/primary-network.ts'
import { PUBLIC_NETWORKS } from '../../facts/public-networks.ts'
import { steadyNow } from '../../lib/steady-clock.ts'
import { indexAge, isTooOld, type Store } from '../../store/index.ts'
import { indexedEvmStreams } from './evm-streams.ts'

/** Minimum interval between reads of the streams' progress, milliseconds. */
const PROGRESS_MS = 1_000
/** Longest wait of readers until the progress is first known, and the pause between attempts. Milliseconds. */
const LEARN_MS = 2_000
const ATTEMPT_MS = 50

interface TokenReader {
  progress: Store['reader']['progress']
  evm: Pick<Store['reader']['evm'], 'chainIds' | 'touchedTokens'>
}

/** All tokens that an owner ever held, for the EVM chains that are indexed here; undefined for the others. */
export function createIndexedTokens(config: Config, { reader }: { reader: TokenReader }) {
  const streams = indexedEvmStreams(config)
  const names = new Set(streams.values())
  let askedAt = 0
  let chainIds: ReadonlyMap<string, bigint> | undefined
  let progress: Awaited<ReturnType<typeof reader.progress>> = []
  let reading: Promise<void> | undefined
  let learning: Promise<void> | undefined
  let learnt = false

  const read = async (): Promise<void> => {
    askedAt = steadyNow()
    const [found, ids] = await Promise.all([reader.progress(), reader.evm.chainIds()])
    progress = found
    chainIds = ids
  }
  /** A newer read, if one is running or due. */
  const refresh = (): Promise<void> | undefined => {
    if (steadyNow() - askedAt >= PROGRESS_MS)
      reading ??= read()
        .catch(() => undefined)
        .finally(() => {
          reading = undefined
        })
    return reading
  }
  /**
   * Nothing is known right after a start, and an index that seems incomplete finds no tokens: that looks like a loss.
   */
  const learn = async (): Promise<void> => {
    const until = performance.now() + LEARN_MS
    while (chainIds === undefined && performance.now() < until) {
      await Promise.race([read().catch(() => undefined), delay(until - performance.now(), undefined, { ref: false })])
      if (chainIds === undefined) await delay(ATTEMPT_MS, undefined, { ref: false })
    }
  }
  const isOf = (stream: string, chainId: string): boolean => chainIds?.get(stream) === BigInt(chainId)
  const isIndexed = (chainId: string): boolean => [...names].some((stream) => isOf(stream, chainId))
  const stands = (chainId: string): boolean => {
    const own = progress.find(({ stream }) => names.has(stream) && isOf(stream, chainId))
    const age = own && indexAge(own, Date.now())
    return age !== undefined && !isTooOld(age, config.index.maxIndexAgeMs)
  }
  /** The last result may be an hour old: only a new read can call an index outdated. */
  const isComplete = (chainId: string): boolean | Promise<boolean> => {
    const newer = refresh()
    if (stands(chainId)) return true
    if (!newer || !isIndexed(chainId)) return false
    return Promise.race([newer, delay(LEARN_MS, undefined, { ref: false })]).then(() => stands(chainId))
  }

  return (chainId: string): IndexedTokens | undefined => {
    if (!streams.has(chainId) && !mayBeUntoldC(config, names, chainId)) return undefined
    return {
      isComplete() {
        if (learnt) return isComplete(chainId)
        learning ??= learn().then(() => {
          learnt = true
        })
        return learning.then(() => isComplete(chainId))
      },
      async tokensOf(owner, most, asker) {
        if (chainIds === undefined)
          throw new UpstreamUnavailableError("Firn's own index has not reported its chains yet")
        if (!isIndexed(chainId)) return []
        const caller = asker?.clients && { clients: asker.clients, signal: asker.signal }
        const touched = await reader.evm.touchedTokens(BigInt(chainId), owner.slice(2), most, caller)
        return touched.map((address) => `0x${address}`)
      },
    }
  }
}

/**
 * The C-chain of a network not configured by ID has the id that its node reports, known only later: it may be any chain
 * but those built in. Of these, owners would have no total after a start until the database has answered.
 */
function mayBeUntoldC(config: Config, streams: ReadonlySet<string>, chainId: string): boolean {
  const isC = SIDES.some((side) => `${PUBLIC_NETWORKS[side].evmChainId}` === chainId)
  if (Object.hasOwn(catalogue.evm, chainId) && !isC) return false
  return SIDES.some((side) => streams.has(`${side}:C`) && config.chains.avalanche[side]?.evmChainId === undefined)
}
