import type { IndexedTokens } from '../chains/evm/index.ts'
import type { Config } from '../config/index.ts'
import type { Store } from '../store/index.ts'
import { indexedEvmStreams } from './evm-streams.ts'

/** Tokens of one owner that are looked at; airdrops to famous addresses have no end. */
const MOST_TOKENS = 1_000
/** How far the streams are is asked of the database at most this often, milliseconds. */
const PROGRESS_MS = 1_000

/** Which tokens an owner ever held, for the EVM chains that are indexed here; undefined for the others. */
export function createIndexedTokens(config: Config, { reader }: Pick<Store, 'reader'>) {
  const streams = indexedEvmStreams(config)
  let askedAt = 0
  let progress: Awaited<ReturnType<typeof reader.progress>> = []

  /** Nobody waits for the database: the answer is what was known before. */
  const refresh = (): void => {
    if (Date.now() - askedAt < PROGRESS_MS) return
    askedAt = Date.now()
    void reader.progress().then(
      (found) => {
        progress = found
      },
      () => undefined,
    )
  }

  return (chainId: string): IndexedTokens | undefined => {
    const stream = streams.get(chainId)
    if (stream === undefined) return undefined
    return {
      isComplete() {
        refresh()
        const own = progress.find((one) => one.stream === stream)
        return own?.tip !== undefined && Date.now() - Number(own.currentAtMs) <= config.index.maxIndexAgeMs
      },
      async tokensOf(owner) {
        const touched = await reader.evm.touchedTokens(BigInt(chainId), owner.slice(2), MOST_TOKENS)
        return touched.map(({ address }) => `0x${address}`)
      },
    }
  }
}
