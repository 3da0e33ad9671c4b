import { SIDES } from '../../facts/primary-network.ts'
import type { Config } from '../schema.ts'

/** Without an index this mode would do nothing and report good health. */
const modeProblems = ({ mode, index }: Config): string[] =>
  mode === 'indexer' && !index.enabled ? ['index.enabled: given false; needed: true when mode is indexer'] : []

/** A missing chain would never be indexed, and requests for it would fail; one under two names is written twice. */
function streamProblems({ index, chains }: Config): string[] {
  if (!index.enabled) return []
  const twinOf = (stream: string): string | undefined => {
    const side = SIDES.find((one) => `eip155:${chains.avalanche[one]?.evmChainId}` === stream)
    return side && `${side}:C`
  }
  return index.streams.flatMap((stream, rank) => {
    const [kind, id = ''] = stream.split(':')
    const side = SIDES.find((one) => one === kind)
    const there = side ? chains.avalanche[side] !== undefined : Object.hasOwn(chains.evm, id)
    const needed = side ? `chains.avalanche.${side}` : `chains.evm.${id}`
    if (!there) return [`index.streams.${rank}: given "${stream}"; needed: ${needed}, which is not configured`]
    const twin = twinOf(stream)
    return twin === undefined || !index.streams.includes(twin)
      ? []
      : [`index.streams.${rank}: given "${stream}", which is the chain of "${twin}"; allowed: one of them`]
  })
}

/** Index settings without effect, or given twice. One line per problem. */
export const indexProblems = (config: Config): string[] => [...modeProblems(config), ...streamProblems(config)]
