import type { Transaction } from 'kysely'
import { BadInputError } from '../errors.ts'
import { bytea } from './bytea.ts'
import type { Db } from './database.ts'
import { OtherNetworkError } from './errors.ts'
import type { Database } from './schema/index.ts'

/** Distinguishes the network of an index from all others; ids are hex without 0x. Nothing of it ever changes. */
export interface IndexedNetwork {
  networkId: number
  xChainId: string
  cChainId: string
  avaxAssetId: string
}

export interface IndexedNetworks {
  /** Undefined before anything of the network is indexed. `name` is the network's name in the configuration. */
  find(name: string): Promise<IndexedNetwork | undefined>
}

const COLUMNS = ['network_id', 'x_chain_id', 'c_chain_id', 'avax_asset_id'] as const
const WORDS: Readonly<Record<keyof IndexedNetwork, string>> = {
  networkId: 'network ID',
  xChainId: 'X-chain',
  cChainId: 'C-chain',
  avaxAssetId: 'AVAX asset',
}

/** The first difference as text; undefined if all members of `said` are the same. */
export function differenceOf(kept: IndexedNetwork, said: Partial<IndexedNetwork>): string | undefined {
  for (const key of Object.keys(WORDS) as (keyof IndexedNetwork)[]) {
    if (said[key] !== undefined && said[key] !== kept[key])
      return `its ${WORDS[key]} is ${kept[key]}, here it is ${said[key]}`
  }
  return undefined
}

export async function findIdentity(db: Db, name: string): Promise<IndexedNetwork | undefined> {
  const row = await db
    .selectFrom('network_identity')
    .innerJoin('network', 'network.id', 'network_identity.network')
    .select(COLUMNS)
    .where('network.name', '=', name)
    .executeTakeFirst()
  return (
    row && {
      networkId: Number(row.network_id),
      xChainId: row.x_chain_id,
      cChainId: row.c_chain_id,
      avaxAssetId: row.avax_asset_id,
    }
  )
}

/** @throws OtherNetworkError when the index is of another network */
export async function keepIdentity(tx: Transaction<Database>, name: string, said: IndexedNetwork): Promise<void> {
  const kept = (await findIdentity(tx, name)) ?? (await write(tx, name, said))
  const difference = differenceOf(kept, said)
  if (difference !== undefined) throw new OtherNetworkError(name, difference)
}

async function write(tx: Transaction<Database>, name: string, said: IndexedNetwork): Promise<IndexedNetwork> {
  const network = await tx.selectFrom('network').select('id').where('name', '=', name).executeTakeFirst()
  if (network === undefined) throw new BadInputError(`no stream of the network ${name} is registered`)
  await refuseOtherGenesis(tx, name, network.id, said)
  await tx
    .insertInto('network_identity')
    .values({
      network: network.id,
      network_id: BigInt(said.networkId),
      x_chain_id: bytea(said.xChainId),
      c_chain_id: bytea(said.cChainId),
      avax_asset_id: bytea(said.avaxAssetId),
    })
    .onConflict((conflict) => conflict.column('network').doNothing())
    .execute()
  return (await findIdentity(tx, name)) ?? said
}

/** For an older index without an identity: if it contains P, it also contains the chains made by P's genesis. */
async function refuseOtherGenesis(
  tx: Transaction<Database>,
  name: string,
  network: number,
  { xChainId, cChainId }: IndexedNetwork,
): Promise<void> {
  const rows = await tx
    .selectFrom('blockchain')
    .select('id')
    .where('network', '=', network)
    .where('height', '=', 0n)
    .execute()
  const made = rows.map(({ id }) => id)
  const missing = made.length === 0 ? undefined : [xChainId, cChainId].find((id) => !made.includes(id))
  if (missing !== undefined) throw new OtherNetworkError(name, `its genesis made ${made.join(' and ')}, not ${missing}`)
}
