import type { Indexer, StreamStatus } from '../../indexer/index.ts'
import { APPLICATION_TAG, type HealthCheck, UnhealthyError } from '../../services/node-health/index.ts'

/** State of this process's streams: unhealthy when one is stalled or has reached something that it cannot read. */
export const createIndexerCheck = (indexer: Pick<Indexer, 'status'>): HealthCheck => ({
  name: 'indexer',
  tags: () => [APPLICATION_TAG],
  run() {
    const { role, streams } = indexer.status()
    const message = { role, streams: Object.fromEntries(streams.map((stream) => [stream.name, messageOf(stream)])) }
    const troubles = streams.flatMap(({ name, stalled, phase, error }) => {
      if (phase === 'blocked') return [`${name} is blocked: ${error}`]
      return stalled ? [`${name} is stalled${error === undefined ? '' : `: ${error}`}`] : []
    })
    if (troubles.length > 0) throw new UnhealthyError(troubles.join(', '), message)
    return message
  },
})

const messageOf = ({ phase, height, tip, blocksPerSecond, etaSeconds, error, notes }: StreamStatus) => ({
  phase,
  ...(height === undefined ? {} : { height: Number(height) }),
  ...(tip === undefined ? {} : { tip: Number(tip) }),
  ...(etaSeconds === undefined ? {} : { blocksPerSecond: Math.round(blocksPerSecond), etaSeconds }),
  ...(error === undefined ? {} : { error }),
  ...(notes.length === 0 ? {} : { notes }),
})
