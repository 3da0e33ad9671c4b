import { buildGenesis, encodePTx } from '../../../../src/chains/avalanche/codec/index.ts'
import { idToCb58 } from '../../../../src/lib/bytes/ids.ts'
import { encodeNodeHex } from '../../../../src/lib/bytes/node-hex.ts'
import type { Recordings } from '../recorded/recordings.ts'
import { genesisJson } from './genesis-json.ts'

const FILE = 'network/genesis.json'

/** Hex with its checksum, and what a node writes as JSON. */
export interface GenesisTransaction {
  hex: string
  json: string | undefined
}

const kept = new WeakMap<Recordings, ReadonlyMap<string, GenesisTransaction>>()

/**
 * The transactions of P's genesis, which are in no block and which a node has all the same, by id. None where the genesis
 * is not recorded.
 */
export function genesisTransactions(recordings: Recordings): ReadonlyMap<string, GenesisTransaction> {
  const known = kept.get(recordings)
  if (known) return known
  const { chains, validators } = recordings.has(FILE) ? buildGenesis(recordings.text(FILE)) : NOTHING
  const made = new Map(
    [...chains, ...validators].map((tx) => [
      idToCb58(tx.id),
      { hex: encodeNodeHex(encodePTx(tx)), json: genesisJson(tx) },
    ]),
  )
  kept.set(recordings, made)
  return made
}

const NOTHING: Pick<ReturnType<typeof buildGenesis>, 'chains' | 'validators'> = { chains: [], validators: [] }
