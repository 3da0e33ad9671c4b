import type { Config } from '../config/index.ts'

const SIDES = ['mainnet', 'testnet'] as const
const PUBLIC_C_CHAINS = { mainnet: 43_114, testnet: 43_113 }

/** EVM chain id of a network's C-chain: the public one unless the configuration says otherwise. */
export const cChainId = (config: Config, side: 'mainnet' | 'testnet'): bigint =>
  BigInt(config.chains.avalanche[side]?.evmChainId ?? PUBLIC_C_CHAINS[side])

/** True for a stream that the configuration names, or takes in when it names none. */
export const isIndexed = ({ index }: Config, stream: string, byDefault: boolean): boolean =>
  index.streams.length === 0 ? byDefault : index.streams.includes(stream)

/** Names of the indexed streams by the decimal id of the EVM chain that they hold: C-chains of networks, and others. */
export function indexedEvmStreams(config: Config): Map<string, string> {
  const others = Object.keys(config.chains.evm).map((id) => [id, `eip155:${id}`] as const)
  const own = SIDES.filter((side) => config.chains.avalanche[side] !== undefined).map(
    (side) => [cChainId(config, side).toString(), `${side}:C`] as const,
  )
  return new Map([
    ...others.filter(([, stream]) => isIndexed(config, stream, false)),
    ...own.filter(([, stream]) => isIndexed(config, stream, true)),
  ])
}
