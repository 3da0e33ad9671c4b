import type { Config } from '../../config/index.ts'
import { CHAIN_LETTERS, SIDES, type Side } from '../../facts/primary-network.ts'
import { PUBLIC_NETWORKS } from '../../facts/public-networks.ts'

/** EVM chain id of a network's C-chain: the public one unless the configuration says otherwise. */
export const cChainId = (config: Config, side: Side): bigint =>
  BigInt(config.chains.avalanche[side]?.evmChainId ?? PUBLIC_NETWORKS[side].evmChainId)

/** True for a stream that the configuration names; if it names none, for those of P, X and C. */
export const isIndexed = ({ index }: Config, stream: string): boolean =>
  index.streams.length === 0 ? !stream.startsWith('eip155:') : index.streams.includes(stream)

/** Names of the streams to be indexed, as the store has them. */
export const configuredStreams = (config: Config): string[] =>
  [
    ...SIDES.filter((side) => config.chains.avalanche[side] !== undefined).flatMap((side) =>
      CHAIN_LETTERS.map((letter) => `${side}:${letter}`),
    ),
    ...Object.keys(config.chains.evm).map((id) => `eip155:${id}`),
  ].filter((stream) => isIndexed(config, stream))

type ChainIds = ReadonlyMap<string, bigint>

/**
 * Names of the indexed streams by the decimal id of their EVM chain: C-chains of networks, and others.
 * @param said ids by stream as reported by the nodes; for streams that are missing there, the configuration's id counts
 */
export function indexedEvmStreams(config: Config, said: ChainIds = new Map()): Map<string, string> {
  const others = Object.keys(config.chains.evm).map((id) => [id, `eip155:${id}`] as const)
  const own = SIDES.filter((side) => config.chains.avalanche[side] !== undefined).map(
    (side) => [(said.get(`${side}:C`) ?? cChainId(config, side)).toString(), `${side}:C`] as const,
  )
  return new Map([...others, ...own].filter(([, stream]) => isIndexed(config, stream)))
}

/**
 * The same with the ids that the index has from the nodes: a private network has another C-chain than the public one.
 * Ids never change, so they are read until those of all streams are known.
 * @param read left out if nothing is indexed
 */
export function createEvmStreams(config: Config, read?: () => Promise<ChainIds>) {
  const names = [...indexedEvmStreams(config).values()]
  let known: ReadonlyMap<string, string> | undefined
  return async (): Promise<ReadonlyMap<string, string>> => {
    if (known) return known
    const said = read ? await read() : new Map()
    const streams = indexedEvmStreams(config, said)
    if (names.every((name) => said.has(name))) known = streams
    return streams
  }
}

export type EvmStreams = ReturnType<typeof createEvmStreams>
