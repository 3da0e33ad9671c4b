import { setImmediate as breathe } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { recoverPublicKey } from '../../chains/avalanche/keys/recovered-key.ts'
import { hash160 } from '../../lib/bytes/hash160.ts'
import { bytesToHex } from '../../lib/bytes/ids.ts'
import { roomFor } from '../../lib/room-for.ts'
import type { ChainLetter, IndexReader, UtxoRecord } from '../../store/index.ts'
import { type SpendingTx, spendingTxs, spentKey } from './spending-inputs.ts'

/** Hex: 65 bytes r ‖ s ‖ v; the key compressed, left out when it cannot be known. */
export interface SpendingCredential {
  signature: string
  publicKey?: string
}

export interface SpendingCredentialsDeps {
  index: { containers: Pick<IndexReader['containers'], 'atPositions'> }
  /** Number of cached keys, by address. */
  keys?: number
}

/** Blocks in memory at a time; those of C may have megabytes. */
const BLOCKS_AT_ONCE = 8
const KEYS = 10_000

/**
 * Who signed for spent outputs. The index has signatures for X and C; the key of a signature is derived from it and
 * from the signed bytes, which are in the container of the spending block. A key is recovered once per address, because
 * an address has only one; after that, a page of that owner needs no container.
 */
export function createSpendingCredentials({ index, keys = KEYS }: SpendingCredentialsDeps) {
  const keyOf = new LRUCache<string, string>(roomFor(keys))

  /** From the index alone, if it is certain whose signatures these are. */
  function known(utxo: UtxoRecord): SpendingCredential[] | undefined {
    const { addresses, signatures } = utxo
    // Signers are in the order of the owners: with as many signatures as owners, the assignment is unambiguous.
    if (signatures === undefined || signatures.length !== addresses.length) return undefined
    const found: SpendingCredential[] = []
    for (const [i, signature] of signatures.entries()) {
      const publicKey = keyOf.get(addresses[i] ?? '')
      if (publicKey === undefined) return undefined
      found.push({ signature, publicKey })
    }
    return found
  }

  function read(utxo: UtxoRecord, tx: SpendingTx): SpendingCredential[] | undefined {
    return tx.spent.get(spentKey(utxo))?.map(({ signature, signer }) => {
      const text = bytesToHex(signature)
      const publicKey = keyBehind(tx, signature, utxo.addresses[signer])
      return publicKey === undefined ? { signature: text } : { signature: text, publicKey }
    })
  }

  function keyBehind(tx: SpendingTx, signature: Uint8Array, address: string | undefined): string | undefined {
    if (address === undefined) return undefined
    const remembered = keyOf.get(address)
    if (remembered !== undefined) return remembered
    const key = recoverPublicKey(tx, signature)
    // A new string: the given one may be a slice of a whole row, which the cache would retain.
    const owner = key && bytesToHex(hash160(key))
    if (key === undefined || owner !== address) return undefined
    keyOf.set(owner, bytesToHex(key))
    return bytesToHex(key)
  }

  /** Reads some blocks and records what they say about these outputs. */
  async function readBlocks(
    network: string,
    letter: ChainLetter,
    blocks: ReadonlyMap<bigint, readonly UtxoRecord[]>,
    note: (utxo: UtxoRecord, credentials: SpendingCredential[]) => void,
  ): Promise<void> {
    const positions = [...blocks.keys()].map((height) => height - 1n)
    for (const container of await index.containers.atPositions({ network, letter }, positions)) {
      const txs = spendingTxs(letter, container.bytes)
      for (const utxo of blocks.get(container.height) ?? []) {
        const tx = txs.get(utxo.consumed?.by ?? '')
        const credentials = tx && read(utxo, tx)
        if (credentials) note(utxo, credentials)
      }
      // Recovering a key takes about a millisecond; other requests get turns.
      await breathe()
    }
  }

  return {
    /**
     * By id, for the spent ones among the outputs; unknown ones are left out.
     * @param network as the streams name it
     */
    async of(network: string, utxos: readonly UtxoRecord[]): Promise<Map<string, SpendingCredential[]>> {
      const found = new Map<string, SpendingCredential[]>()
      let open = utxos.filter(({ consumed }) => consumed !== undefined)
      while (open.length > 0) {
        open = open.filter((utxo) => {
          const credentials = known(utxo)
          if (credentials) found.set(utxo.id, credentials)
          return credentials === undefined
        })
        const letter = open[0]?.consumableOn
        if (letter === undefined) break
        const blocks = nextBlocks(open, letter)
        await readBlocks(network, letter, blocks, ({ id }, credentials) => found.set(id, credentials))
        const asked = new Set([...blocks.values()].flat())
        for (const { id, signatures } of asked) {
          // Without the container, only the signatures are known.
          if (!found.has(id) && signatures)
            found.set(
              id,
              signatures.map((signature) => ({ signature })),
            )
        }
        open = open.filter((utxo) => !asked.has(utxo))
      }
      return found
    },
  }
}

export type SpendingCredentials = ReturnType<typeof createSpendingCredentials>

/** The outputs spent in the first few blocks of this chain, by height. */
function nextBlocks(open: readonly UtxoRecord[], letter: ChainLetter): Map<bigint, UtxoRecord[]> {
  const blocks = new Map<bigint, UtxoRecord[]>()
  for (const utxo of open) {
    if (utxo.consumableOn !== letter || utxo.consumed === undefined) continue
    const { height } = utxo.consumed
    const spent = blocks.get(height)
    if (spent) spent.push(utxo)
    else if (blocks.size < BLOCKS_AT_ONCE) blocks.set(height, [utxo])
  }
  return blocks
}
