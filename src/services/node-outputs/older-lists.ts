import { type AvalancheNetwork, readHeight } from '../../chains/avalanche/index.ts'
import type { ChainLetter } from '../../facts/primary-network.ts'
import type { UtxoRecord } from '../../store/index.ts'
import { createListReader, nodeRecord, type Place } from './node-record.ts'

/** Where outputs that X created, or can import, appear in the lists of a chain. */
const PLACES: Readonly<Record<ChainLetter, readonly Place[]>> = {
  P: [
    { chain: 'P', sourceChain: 'X' },
    { chain: 'X', sourceChain: 'P' },
  ],
  C: [
    { chain: 'C', sourceChain: 'X' },
    { chain: 'X', sourceChain: 'C' },
  ],
  X: [
    { chain: 'X' },
    { chain: 'X', sourceChain: 'P' },
    { chain: 'X', sourceChain: 'C' },
    { chain: 'P', sourceChain: 'X' },
    { chain: 'C', sourceChain: 'X' },
  ],
}

/** Unspent outputs as nodes have them now. */
export interface NodeOutputs {
  /** Nodes do not say when an output was created: all have the time `since`. */
  records: UtxoRecord[]
  /** Heights that none of the answering nodes had passed when it answered. Asks them. */
  heights(chains: readonly ChainLetter[]): Promise<ReadonlyMap<ChainLetter, bigint>>
}

export interface NodeOutputsQuery {
  letter: ChainLetter
  hrp: string
  /** 20 bytes hex, 1 to 1,024. */
  addresses: readonly string[]
  /** Unix seconds. */
  since: bigint
  /** Milliseconds of `Date.now()`. */
  deadline: number
}

/** All outputs of the addresses that X created, or that can be imported on X; one round trip if they fit one page. */
export async function readNodeOutputs({ pool }: AvalancheNetwork, query: NodeOutputsQuery): Promise<NodeOutputs> {
  const { deadline, since } = query
  const servers = new Set<object>()
  const list = createListReader(pool, query, { deadline, answeredBy: ({ server }) => void servers.add(server) })
  const lists = await Promise.all(
    PLACES[query.letter].map(async (place) =>
      (await list(place)).map((utxo) => nodeRecord(utxo, place, { height: 0n, time: since })),
    ),
  )
  return {
    records: lists.flat(),
    heights: async (chains) => {
      const highest = async (chain: ChainLetter): Promise<[ChainLetter, bigint]> => {
        const asked = [...servers].map((sameServer) => readHeight(pool, chain, { deadline, sameServer }))
        const told = await Promise.all(asked)
        return [chain, told.sort((a, b) => (a < b ? -1 : 1)).at(-1) ?? 0n]
      }
      return new Map(await Promise.all(chains.map(highest)))
    },
  }
}
