import { formatGoDuration } from '../../lib/json/go-time.ts'
import { ageOf } from '../../store/index.ts'
import { APPLICATION_TAG, type HealthCheck, type HealthMessage, NotYetError, UnhealthyError } from './health-check.ts'

/** Progress of the index of one chain. */
export interface IndexedStream {
  /** The store's name for it: `testnet:P`, `eip155:1`. */
  name: string
  /** Undefined while nothing is indexed. */
  height: bigint | undefined
  /** Unix milliseconds up to which the index is known to match the chain. */
  currentAtMs: number
  /** The index is not of the nodes' chain. */
  disowned: boolean
}

export interface IndexCheckDeps {
  /** Names of the streams that must exist. */
  streams: readonly string[]
  progress(): Promise<readonly IndexedStream[]>
  /** Maximum time since an index was current. */
  maxAgeMs: number
  /** Every stream has been current once. */
  onReached?: () => void
}

const NANOSECONDS_PER_MS = 1_000_000n

/** The own index: how far each stream is, and how long ago it was known to match the chain. */
export function createIndexCheck(deps: IndexCheckDeps): HealthCheck {
  const { streams, progress, maxAgeMs, onReached } = deps
  return {
    name: 'index',
    tags: () => [APPLICATION_TAG],
    run: async () => {
      const known = new Map((await progress()).map((stream) => [stream.name, stream] as const))
      const message: Record<string, HealthMessage> = {}
      const troubles: string[] = []
      for (const name of streams) {
        const stream = known.get(name)
        if (stream?.height === undefined) {
          message[name] = {}
          troubles.push(`${name} is not indexed yet`)
          continue
        }
        const ageMs = ageOf(stream.currentAtMs, Date.now())
        const age = formatGoDuration(BigInt(ageMs) * NANOSECONDS_PER_MS)
        message[name] = { lastAcceptedHeight: Number(stream.height), ...(stream.disowned ? {} : { age }) }
        if (stream.disowned) troubles.push(`${name} is of another chain than that of the nodes`)
        else if (ageMs > maxAgeMs) troubles.push(`${name} is ${age} behind`)
      }
      const isForeign = streams.some((name) => known.get(name)?.disowned)
      if (isForeign) throw new UnhealthyError(troubles.join(', '), message)
      if (troubles.length > 0) throw new NotYetError(troubles.join(', '), message)
      onReached?.()
      return message
    },
  }
}
