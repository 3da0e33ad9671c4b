import { outputFields, type Utxo } from '../../chains/avalanche/codec/index.ts'
import { type AvalancheNetwork, readUtxos } from '../../chains/avalanche/index.ts'
import type { ChainLetter } from '../../facts/primary-network.ts'
import { formatBech32Address } from '../../lib/bytes/bech32-address.ts'
import { hexToBytes } from '../../lib/bytes/ids.ts'
import { utxoId } from '../../lib/bytes/utxo-id.ts'
import type { IndexReader, UtxoRecord } from '../../store/index.ts'

/** Where outputs are: on the chain that can consume them; those of another chain in the memory that they share. */
export interface Place {
  chain: ChainLetter
  sourceChain?: ChainLetter
}

/**
 * Reads what nodes list of these addresses. An answer with an output of none of them is for another question.
 * @param addresses 20 bytes hex, 1 to 1,024
 */
export function createListReader(
  pool: AvalancheNetwork['pool'],
  { hrp, addresses }: { hrp: string; addresses: readonly string[] },
  call: Parameters<typeof readUtxos>[2],
): (place: Place) => Promise<Utxo[]> {
  const owners = new Set(addresses)
  const named = addresses.map((address) => formatBech32Address(hexToBytes(address), hrp))
  const belongs = ({ output }: Utxo): boolean => outputFields(output).addresses.some((address) => owners.has(address))
  return async (place) => (await readUtxos(pool, { ...place, addresses: named, belongs }, call)).utxos
}

/** An output of a node's list in the form of the index. */
export function nodeRecord(utxo: Utxo, { chain, sourceChain }: Place, created: UtxoRecord['created']): UtxoRecord {
  const { txId, outputIndex, assetId, output } = utxo
  return {
    id: utxoId(utxo),
    txId,
    outputIndex,
    asset: { id: assetId },
    ...outputFields(output),
    createdOn: sourceChain ?? chain,
    consumableOn: chain,
    created,
  }
}

/** Adds what the index knows about their assets. */
export async function withKnownAssets(
  assets: IndexReader['assets'],
  network: string,
  utxos: readonly UtxoRecord[],
): Promise<UtxoRecord[]> {
  if (utxos.length === 0) return []
  const known = await assets.findAll(network, [...new Set(utxos.map(({ asset }) => asset.id))])
  return utxos.map((utxo) => ({ ...utxo, asset: known.get(utxo.asset.id) ?? utxo.asset }))
}
