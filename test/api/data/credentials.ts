import { secp256k1 } from '@noble/curves/secp256k1.js'
import { expect, it } from 'vitest'
import { recordedJson, recordedLines } from '../../support/recorded/recordings.ts'
import { trueUtxos } from '../../support/recorded/true-utxos.ts'
import type { IndexedServer } from './indexed-server.ts'
import { everyAddress, placeOf } from './recorded-truth.ts'

interface Spent {
  utxoId: string
  addresses: string[]
  threshold: number
  consumingTxHash?: string
  credentials?: { signature: string; publicKey: string }[]
}

const hexOf = (base64: string): string => Buffer.from(base64, 'base64').toString('hex')

/** Signed transactions as the node told them. */
function signedTransactions(): Map<string, string> {
  const told = [
    ...['x-txs', 'p-txs'].flatMap((name) => recordedLines<{ id: string; hex: string }>(name)),
    ...recordedLines<{ id: string; tx: { tx?: string } }>('c-atomic-txs').map(({ id, tx }) => ({ id, hex: tx.tx })),
  ]
  return new Map(told.flatMap(({ id, hex }) => (hex === undefined ? [] : [[id, hex] as const])))
}

/** Public keys of all who signed anything, made from their private keys, by address. */
function publicKeys(): Map<string, string> {
  const { keys } = recordedJson<{ keys: Record<string, { privateKey: string; address: string }> }>('network')
  return new Map(
    Object.values(keys).map(({ privateKey, address }) => [
      address,
      Buffer.from(secp256k1.getPublicKey(Buffer.from(privateKey, 'hex'), true)).toString('hex'),
    ]),
  )
}

export function checkCredentials(server: () => IndexedServer): void {
  it.each(['X', 'C'] as const)('%s: who signed for every spent output: signatures and keys', async (letter) => {
    const [hexes, keys] = [signedTransactions(), publicKeys()]
    const addresses = everyAddress(trueUtxos()).join(',')
    let [token, spent] = ['', 0]
    const consumers = new Set<string>()
    do {
      const path = `${placeOf(letter)}/utxos?pageSize=1024&includeSpent=true&pageToken=${token}`
      const { body } = await server().post(path, { addresses })
      for (const utxo of body.utxos as Spent[]) {
        const { consumingTxHash, credentials = [] } = utxo
        if (consumingTxHash === undefined) {
          expect(utxo).not.toHaveProperty('credentials')
          continue
        }
        spent += 1
        consumers.add(String((utxo as { consumedOnChainId?: string }).consumedOnChainId))
        expect(credentials, utxo.utxoId).toHaveLength(utxo.threshold)
        const owners = utxo.addresses.map((address) => keys.get(address.replace(/^[PXC]-/, '')))
        expect(owners).toEqual(expect.arrayContaining(credentials.map(({ publicKey }) => hexOf(publicKey))))
        expect(new Set(credentials.map(({ publicKey }) => publicKey)).size).toBe(utxo.threshold)
        for (const { signature } of credentials) expect(hexes.get(consumingTxHash)).toContain(hexOf(signature))
      }
      token = body.nextPageToken ?? ''
    } while (token !== '')
    const expected = trueUtxos().filter(
      ({ createdOnChain, consumableOnChain, consumedBy, addresses: owners }) =>
        consumedBy !== null && owners.length > 0 && [createdOnChain, consumableOnChain].includes(letter),
    )
    expect(spent).toBe(expected.length)
    // On the chain itself, and where its exports were imported.
    expect(consumers.size).toBe(3)
  })
}
