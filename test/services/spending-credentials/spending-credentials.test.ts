import { expect, it } from 'vitest'
import { type Credential, decodeXBlock, openContainer, type XTx } from '../../../src/chains/avalanche/codec/index.ts'
import { hash160 } from '../../../src/lib/bytes/hash160.ts'
import { bytesToHex, hexToBytes, idFromCb58 } from '../../../src/lib/bytes/ids.ts'
import { decodeNodeHex } from '../../../src/lib/bytes/node-hex.ts'
import { createSpendingCredentials } from '../../../src/services/spending-credentials/index.ts'
import type { ContainerRow, UtxoRecord } from '../../../src/store/index.ts'
import { parseAddress } from '../../store/recorded-rows.ts'
import { recordedLines } from '../../support/recorded/recordings.ts'
import { trueUtxos } from '../../support/recorded/true-utxos.ts'

/** Containers of X by position, as the index would give them; counts how many were read. */
function recordedContainers(there: boolean) {
  const rows = new Map<bigint, ContainerRow>()
  const lines = recordedLines<{ height: number; container: { id: string; bytes: string } | null }>('x-blocks')
  for (const { height, container } of there ? lines : []) {
    if (container === null) continue
    const bytes = decodeNodeHex(container.bytes)
    const index = BigInt(height) - 1n
    rows.set(index, { index, id: idFromCb58(container.id), height: BigInt(height), bytes, acceptedAt: '' })
  }
  let read = 0
  return {
    read: () => read,
    index: {
      containers: {
        atPositions: (_: unknown, positions: readonly bigint[]) => {
          const found = positions.flatMap((position) => rows.get(position) ?? [])
          read += found.length
          return Promise.resolve(found)
        },
      },
    },
  }
}

type Spends = readonly (readonly [{ txId: string; outputIndex: number }, Credential | undefined])[]

const byInputs = ({ unsignedTx, credentials }: XTx): Spends =>
  unsignedTx.inputs.map((input, i) => [input, credentials[i]])

const byOperations = ({ unsignedTx, credentials }: XTx): Spends =>
  unsignedTx.type !== 'OperationTx'
    ? []
    : unsignedTx.operations.flatMap(({ utxos }, i) =>
        utxos.map((utxo) => [utxo, credentials[unsignedTx.inputs.length + i]] as const),
      )

/** Outputs with one owner that transactions of X have spent, with the signature of the credential. */
function spentOnX(spends: (tx: XTx) => Spends = byInputs): UtxoRecord[] {
  const signatures = new Map<string, string>()
  for (const { container } of recordedLines<{ container: { bytes: string } | null }>('x-blocks')) {
    if (container === null) continue
    const { txs } = decodeXBlock(openContainer(decodeNodeHex(container.bytes)).innerBlock)
    for (const [{ txId, outputIndex }, credential] of txs.flatMap(spends))
      signatures.set(`${txId}:${outputIndex}`, (credential?.signatures ?? []).map(bytesToHex).join(''))
  }
  return trueUtxos().flatMap((utxo): UtxoRecord[] => {
    const txId = idFromCb58(utxo.txHash)
    const signed = signatures.get(`${txId}:${utxo.outputIndex}`)
    if (utxo.consumedOnChain !== 'X' || utxo.addresses.length !== 1 || signed === undefined) return []
    return [
      {
        id: idFromCb58(utxo.utxoId),
        txId,
        outputIndex: utxo.outputIndex,
        kind: 'transfer',
        asset: { id: '' },
        addresses: utxo.addresses.map(parseAddress),
        threshold: 1,
        locktime: 0n,
        createdOn: 'X',
        consumableOn: 'X',
        created: { height: 0n, time: 0n },
        consumed: { by: idFromCb58(utxo.consumedBy ?? ''), height: BigInt(utxo.consumedAtHeight ?? 0), time: 0n },
        signatures: [signed],
      },
    ]
  })
}

it('recovers a key once per address, and reads few containers', async () => {
  const containers = recordedContainers(true)
  const utxos = spentOnX()
  expect(utxos.length).toBeGreaterThan(200)
  const found = await createSpendingCredentials(containers).of('recorded', utxos)
  for (const { id, addresses, signatures } of utxos) {
    const [{ signature, publicKey = '' } = { signature: '' }] = found.get(id) ?? []
    expect(signature).toBe(signatures?.[0])
    expect(bytesToHex(hash160(hexToBytes(publicKey)))).toBe(addresses[0])
  }
  expect(containers.read()).toBeLessThan(utxos.length / 3)
})

it('leaves the key out where the signed bytes are not there, or it is nobody’s who owns the output', async () => {
  const [utxo] = spentOnX()
  if (!utxo) throw new Error('nothing was spent')
  const alone = new Map([[utxo.id, [{ signature: utxo.signatures?.[0] }]]])
  expect(await createSpendingCredentials(recordedContainers(false)).of('recorded', [utxo])).toEqual(alone)
  const foreign = { ...utxo, addresses: ['77'.repeat(20)] }
  expect(await createSpendingCredentials(recordedContainers(true)).of('recorded', [foreign])).toEqual(alone)
})

it('takes no owner of several for the one who signed: the order of the owners does not tell which of them it was', async () => {
  const [utxo] = spentOnX()
  if (!utxo) throw new Error('nothing was spent')
  const credentials = createSpendingCredentials(recordedContainers(true))
  // Its key is known from here on.
  expect((await credentials.of('recorded', [utxo])).get(utxo.id)).toEqual([
    expect.objectContaining({ publicKey: expect.any(String) }),
  ])
  const shared = {
    ...utxo,
    addresses: [...utxo.addresses, '77'.repeat(20)],
    consumed: { by: '00', height: 1n, time: 0n },
  }
  expect(await credentials.of('recorded', [shared])).toEqual(
    new Map([[utxo.id, [{ signature: utxo.signatures?.[0] }]]]),
  )
})

it('tells who signed for each output that an operation spends, from its own container', async () => {
  const utxos = spentOnX(byOperations)
  expect(utxos.length).toBeGreaterThan(20)
  for (const utxo of utxos) {
    const found = await createSpendingCredentials(recordedContainers(true)).of('recorded', [utxo])
    const [{ signature, publicKey = '' } = { signature: '' }] = found.get(utxo.id) ?? []
    expect([signature, bytesToHex(hash160(hexToBytes(publicKey)))]).toEqual([utxo.signatures?.[0], utxo.addresses[0]])
  }
})

it('tells nothing of outputs that were not spent', async () => {
  const unspent = spentOnX().map(({ consumed: _, ...utxo }) => utxo)
  expect(await createSpendingCredentials(recordedContainers(true)).of('recorded', unspent)).toEqual(new Map())
})
