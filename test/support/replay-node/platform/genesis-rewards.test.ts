import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  assemblePTx,
  buildGenesis,
  encodePTx,
  encodeUtxo,
  type Utxo,
} from '../../../../src/chains/avalanche/codec/index.ts'
import { EMPTY_ID, idToCb58 } from '../../../../src/lib/bytes/ids.ts'
import { encodeNodeHex } from '../../../../src/lib/bytes/node-hex.ts'
import { FIXTURES } from '../../recorded/recordings.ts'
import { type ReplayNode, startReplayNode } from '../index.ts'

const { validators, avaxAssetId } = buildGenesis(readFileSync(join(FIXTURES, 'network/genesis.json'), 'utf8'))
const [ended, running] = validators

let folder: string
let node: ReplayNode
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'firn-genesis-rewards-'))
  const network = join(folder, 'network')
  mkdirSync(network)
  for (const name of ['network.json', 'genesis.json', 'platform-state.json', 'p-blocks.ndjson.gz'])
    cpSync(join(FIXTURES, 'network', name), join(network, name))
  const write = (name: string, lines: object[]): void =>
    writeFileSync(
      join(network, `${name}.ndjson.gz`),
      gzipSync(lines.map((line) => `${JSON.stringify(line)}\n`).join('')),
    )
  const address = 'fuji18jma8ppw3nhx5r4ap8clazz0dps7rv5u6wmu4t'
  const none = { utxos: [], atomicP: [], atomicX: [], atomicC: [] }
  // The stake itself has come back, too: it is no reward.
  const listed = [paid(0, 7n), paid(2, 300n)].map((utxo) => encodeNodeHex(encodeUtxo(utxo)))
  write('address-state', [{ address, P: { ...none, utxos: listed }, X: none, C: none }])
  write('p-txs', [{ id: idToCb58(spending.id), height: 5, hex: encodeNodeHex(encodePTx(spending)) }])
  node = await startReplayNode({ recordings: folder, facts: false })
})
afterAll(async () => {
  await node?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** An output of the first genesis validator, which stakes one output and makes no others. */
function paid(outputIndex: number, amount: bigint): Utxo {
  const { unsignedTx, id } = ended as NonNullable<typeof ended>
  if (unsignedTx.type !== 'AddPermissionlessValidatorTx') throw new Error('another kind of validator')
  expect([unsignedTx.outputs.length, unsignedTx.stakeOutputs.length]).toEqual([0, 1])
  const { locktime, threshold, addresses } = unsignedTx.validatorRewardsOwner
  const output = { type: 'secp-transfer' as const, amount, locktime, threshold, addresses }
  return { txId: id, outputIndex, assetId: avaxAssetId, output }
}

const spending = assemblePTx(
  {
    type: 'BaseTx',
    networkId: 5,
    blockchainId: EMPTY_ID,
    outputs: [],
    inputs: [
      {
        txId: ended?.id ?? '',
        outputIndex: 1,
        assetId: avaxAssetId,
        input: { type: 'secp-transfer', amount: 4_000n, sigIndices: [0] },
      },
    ],
    memo: new Uint8Array(0),
  },
  [],
)

async function rewardsOf(id: string): Promise<unknown> {
  const params = { txID: idToCb58(id) }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'platform.getRewardUTXOs', params })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${node.url}/ext/bc/P`, { method: 'POST', body, headers })
  return ((await answer.json()) as { result: unknown }).result
}

it('tells the rewards of a genesis validator that has ended, spent or not', async () => {
  const utxos = [paid(1, 4_000n), paid(2, 300n)].map((utxo) => encodeNodeHex(encodeUtxo(utxo)))
  expect(await rewardsOf(ended?.id ?? '')).toEqual({ numFetched: '2', utxos, encoding: 'hex' })
  expect(await rewardsOf(running?.id ?? '')).toEqual({ numFetched: '0', utxos: [], encoding: 'hex' })
})
