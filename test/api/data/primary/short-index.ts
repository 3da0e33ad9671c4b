import type { FastifyInstance } from 'fastify'
import { expect } from 'vitest'
import { type Stage, startStage } from '../../../indexer/stage.ts'
import { trueUtxos } from '../../../support/recorded/true-utxos.ts'
import { everyAddress, type Letter, placeOf } from '../recorded-truth.ts'
import { FIRST, LAST_LOST, loseBlocks, serve } from './x-born-late.ts'

const addresses = everyAddress(trueUtxos())

export interface ShownUtxo {
  utxoId: string
  createdOnChainId: string
  asset: object
  timestamp?: number
  blockTimestamp?: number
  blockNumber?: string
}

/** All pages of a list. */
export async function listed(
  app: FastifyInstance,
  letter: Letter,
  owners: string[],
  query: string,
): Promise<ShownUtxo[]> {
  const found: ShownUtxo[] = []
  let token: string | undefined
  do {
    const answer = await app.inject({
      method: 'POST',
      url: `${placeOf(letter)}/utxos?${query}${token === undefined ? '' : `&pageToken=${token}`}`,
      payload: { addresses: owners.join() },
    })
    expect(answer.statusCode, answer.body).toBe(200)
    const { utxos, nextPageToken } = answer.json()
    found.push(...utxos)
    token = nextPageToken
  } while (token !== undefined)
  return found
}

/** The outputs that X exported to P in a lost block and that still wait there. */
export const lostExports = trueUtxos().filter(
  ({ createdOnChain, consumableOnChain, consumedBy, createdAtHeight }) =>
    createdOnChain === 'X' && consumableOnChain === 'P' && consumedBy === null && createdAtHeight <= LAST_LOST,
)

export const [exported] = lostExports

/** Nothing of X of theirs is from before its blocks; the newcomers have something of since. */
export const old = new Set(
  trueUtxos()
    .filter(({ createdOnChain, consumableOnChain, createdAtHeight, createdAtTime }) =>
      createdOnChain === 'X' ? createdAtHeight <= LAST_LOST : consumableOnChain === 'X' && createdAtTime <= FIRST,
    )
    .flatMap((utxo) => utxo.addresses),
)
export const others = addresses.filter((address) => !old.has(address)).slice(0, 3)
export const newcomers = everyAddress(
  trueUtxos().filter(({ createdOnChain, consumedBy }) => createdOnChain === 'X' && consumedBy === null),
)
  .filter((address) => !old.has(address))
  .slice(0, 3)

/** The stage without its node's lost blocks, and how often the node was asked for outputs. */
export async function startShort() {
  const stage = await startStage({ name: 'testnet' })
  await stage.caughtUp()
  await stage.indexer.stop()
  await loseBlocks(stage)
  const asked: string[] = []
  const lies = { aboutWhom: false }
  const pool: Stage['pool'] = {
    ...stage.pool,
    rpc: (path, method, ...rest) => {
      if (method.endsWith('.getUTXOs')) asked.push(method)
      const [, ...options] = rest
      if (lies.aboutWhom && method === 'platform.getUTXOs')
        return stage.pool.rpc(
          path,
          method,
          { addresses: [`P-${exported?.addresses[0]}`], sourceChain: 'X' },
          ...options,
        )
      return stage.pool.rpc(path, method, ...rest)
    },
  }
  return { stage, asked, lies, pool, app: await serve({ store: stage.store, pool }) }
}

/**
 * As the index has it when a block has spent an output of whose making it knows nothing.
 * @param key of `utxoKey`
 */
export const spend = ({ sql }: Pick<Stage, 'sql'>, key: string) =>
  sql(`insert into utxo (network, utxo, tx_id, output_index, consumed_by, consumed_height, consumed_time)
    select network, '${key}', tx_id, 0, tx_id, 1, 1 from utxo limit 1 on conflict do nothing`)
