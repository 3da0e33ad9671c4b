import { NotFoundError } from '../../errors.ts'
import { chainNumber } from '../codes.ts'
import type { Db } from '../database.ts'
import type { ChainLetter } from '../rows/index.ts'

/** P, X or C of a network, by the network's name in the configuration. */
export interface ChainName {
  network: string
  letter: ChainLetter
}

export interface ChainNumbers {
  /** @throws NotFoundError when nothing of the network was ever indexed */
  network(name: string): Promise<number>
  /** @throws NotFoundError when nothing of the network was ever indexed */
  chain(name: ChainName): Promise<number>
  /** Number of the EVM stream of a chain id, of several the one that is ahead. @throws NotFoundError when the chain was never indexed */
  evm(chainId: bigint): Promise<number>
  /** Undefined for a stream that was never registered. */
  stream(name: string): Promise<NumberedStream | undefined>
  /** To be told of all streams whenever they are read: forgets what is known where one has another number, or is gone. */
  heed(streams: readonly { name: string; id: number }[]): void
}

interface NumberedStream {
  id: number
  testnet: boolean
}

/**
 * Networks and streams get their numbers once and keep them, so each is asked for once. A database that takes the place of
 * another (built again, or a copy without the last ranges) has numbers of its own: whoever answers from the index reads
 * how far the streams are first, and so learns of it.
 */
export function createChainNumbers(db: Db): ChainNumbers {
  const networks = new Map<string, number>()
  const streams = new Map<bigint, number>()
  const named = new Map<string, NumberedStream>()
  let standing: ReadonlyMap<string, number> | undefined
  let forgotten = 0
  /** What was asked for before all was forgotten may have been told by the database of before. */
  const keep = async <T>(asking: Promise<T>, remember: (told: T) => void): Promise<T> => {
    const before = forgotten
    const told = await asking
    if (forgotten === before) remember(told)
    return told
  }
  const network = async (name: string): Promise<number> => {
    const known = networks.get(name)
    if (known !== undefined) return known
    const rows = await keep(db.selectFrom('network').select(['id', 'name']).execute(), (all) => {
      for (const row of all) networks.set(row.name, row.id)
    })
    return found(rows.find((row) => row.name === name)?.id, `network ${name}`)
  }
  return {
    network,
    chain: async ({ network: name, letter }) => chainNumber(await network(name), letter),
    async evm(chainId) {
      const known = streams.get(chainId)
      if (known !== undefined) return known
      const asking = db
        .selectFrom('stream')
        .select('id')
        .where('evm_chain_id', '=', chainId)
        .orderBy('current_at_ms', 'desc')
        .orderBy('id')
        .execute()
      const [current] = await keep(asking, ([one, ...others]) => {
        // One may be left of another configuration, and not go on; which one that is may change while this process lives.
        if (one && others.length === 0) streams.set(chainId, one.id)
      })
      return found(current?.id, `chain ${chainId}`)
    },
    async stream(name) {
      const known = named.get(name)
      if (known) return known
      const rows = await keep(db.selectFrom('stream').select(['id', 'name', 'testnet']).execute(), (all) => {
        for (const row of all) named.set(row.name, row)
      })
      return rows.find((row) => row.name === name)
    },
    heed(all) {
      const now = new Map(all.map(({ name, id }) => [name, id]))
      const isSame = standing && [...standing].every(([name, id]) => now.get(name) === id)
      if (!isSame) {
        for (const known of [networks, streams, named]) known.clear()
        forgotten += 1
      }
      standing = now
    },
  }
}

function found(number: number | undefined, what: string): number {
  if (number === undefined) throw new NotFoundError(`${what} is not indexed here`)
  return number
}
