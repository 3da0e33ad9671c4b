import type { IndexedTokens } from '../chains/evm/index.ts'
import type { Config } from '../config/index.ts'
import type { Store } from '../store/index.ts'
import { indexedEvmStreams } from './evm-streams.ts'

/** Tokens of one owner that are looked at; airdrops to famous addresses have no end. */
const MOST_TOKENS = 1_000
/** How far the streams are is asked of the database at most this often, milliseconds. */
const PROGRESS_MS = 1_000

interface TokenReader {
  progress: Store['reader']['progress']
  evm: Pick<Store['reader']['evm'], 'chainIds' | 'touchedTokens'>
}

/** Which tokens an owner ever held, for the EVM chains that are indexed here; undefined for the others. */
export function createIndexedTokens(config: Config, { reader }: { reader: TokenReader }) {
  const streams = indexedEvmStreams(config)
  const names = new Set(streams.values())
  let askedAt = 0
  let chainIds: ReadonlyMap<string, bigint> = new Map()
  let progress: Awaited<ReturnType<typeof reader.progress>> = []

  /** Nobody waits for the database: the answer is what was known before. */
  const refresh = (): void => {
    if (Date.now() - askedAt < PROGRESS_MS) return
    askedAt = Date.now()
    void Promise.all([reader.progress(), reader.evm.chainIds()]).then(
      ([found, ids]) => {
        progress = found
        chainIds = ids
      },
      () => undefined,
    )
  }

  return (chainId: string): IndexedTokens | undefined => {
    // The C-chain of a network that was not configured by ID has the one that its node says: known only later.
    if (!streams.has(chainId) && ![...names].some((name) => name.endsWith(':C'))) return undefined
    return {
      isComplete() {
        refresh()
        const own = progress.find(({ stream }) => names.has(stream) && chainIds.get(stream) === BigInt(chainId))
        return own?.tip !== undefined && Date.now() - Number(own.currentAtMs) <= config.index.maxIndexAgeMs
      },
      async tokensOf(owner) {
        const touched = await reader.evm.touchedTokens(BigInt(chainId), owner.slice(2), MOST_TOKENS)
        return touched.map(({ address }) => `0x${address}`)
      },
    }
  }
}
