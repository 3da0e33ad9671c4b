import { createHash } from 'node:crypto'
import {
  assembleXTx,
  buildGenesis,
  encodeEnvelope,
  encodeXBlock,
  envelopeId,
  innerBlockId,
  type XTx,
  xGenesisBlock,
} from '../../../src/chains/avalanche/codec/index.ts'
import { EMPTY_ID, idFromCb58, idToCb58 } from '../../../src/lib/bytes/ids.ts'
import { encodeNodeHex } from '../../../src/lib/bytes/node-hex.ts'
import { recordedGenesis } from '../../indexer/stage.ts'
import { recordedLines } from '../../support/recorded/recordings.ts'

export interface GeneratedContainers {
  /** JSON of each container, as the index API writes it. */
  containers: string[]
}

/**
 * X blocks behind the recorded network's genesis: each transaction splits an output of the one before.
 * @param size.later each also spends the other output of the transaction so many before it; 0 = none does
 */
export async function generateContainers(size: {
  blocks: number
  transactions: number
  later: number
}): Promise<GeneratedContainers> {
  const genesis = buildGenesis(await recordedGenesis())
  const [first] = recordedLines<{ height: number; json: { parentID: string; time: number } }>('x-blocks')
  const start = BigInt(first?.json.time ?? 0)
  const zero = xGenesisBlock(genesis.xChainId, start, stopVertexOf(first?.json.parentID))
  // As little compressible as the real ones.
  const certificate = createHash('shake256', { outputLength: 1_200 }).update('certificate').digest()
  let coin = lastCoin(genesis)
  let parentId = innerBlockId(encodeXBlock(zero))
  let outerParent = parentId
  const containers: string[] = []
  const small: Coin[] = []
  for (let height = 1n; height <= BigInt(size.blocks); height++) {
    const txs: XTx[] = []
    for (let i = 0; i < size.transactions; i++) {
      const older = size.later > 0 ? (small.at(-size.later) ?? []) : []
      const coins = [coin].concat(older)
      const tx = split(genesis, coins, Number(height) * 7 + i)
      txs.push(tx)
      coin = { txId: tx.id, outputIndex: 0, amount: sumOf(coins) - 1n }
      small.push({ txId: tx.id, outputIndex: 1, amount: 1n })
    }
    const time = start + height
    const innerBlock = encodeXBlock({ type: 'StandardBlock', parentId, height, time, merkleRoot: EMPTY_ID, txs })
    const value = {
      type: 'post-fork' as const,
      parentId: outerParent,
      timestamp: time,
      pChainHeight: 1n,
      certificate,
      innerBlock,
      signature: createHash('shake256', { outputLength: 256 }).update(innerBlock).digest(),
    }
    const bytes = encodeEnvelope(value)
    const id = envelopeId(value, bytes)
    containers.push(
      JSON.stringify({
        id: idToCb58(id),
        bytes: encodeNodeHex(bytes),
        timestamp: '2026-01-01T00:00:00.123456789Z',
        encoding: 'hex',
        index: String(height - 1n),
      }),
    )
    parentId = innerBlockId(innerBlock)
    outerParent = id
  }
  return { containers }
}

/** The last output that X is born with. */
function lastCoin({ xTxs }: ReturnType<typeof buildGenesis>): Coin {
  const outputs = xTxs.flatMap(({ id, unsignedTx }) =>
    unsignedTx.type === 'CreateAssetTx'
      ? unsignedTx.initialStates.flatMap((state) => state.outputs).map((output, at) => ({ txId: id, at, output }))
      : [],
  )
  const last = outputs.at(-1)
  if (!last || !('amount' in last.output)) throw new Error('the genesis has no output to begin with')
  return { txId: last.txId, outputIndex: last.at, amount: last.output.amount }
}

const sumOf = (coins: readonly Coin[]): bigint => coins.reduce((sum, { amount }) => sum + amount, 0n)

type Coin = { txId: string; outputIndex: number; amount: bigint }

function split(genesis: { avaxAssetId: string; xChainId: string }, coins: readonly Coin[], owner: number): XTx {
  const assetId = genesis.avaxAssetId
  const output = (amount: bigint, address: number) => ({
    assetId,
    output: { type: 'secp-transfer' as const, amount, locktime: 0n, threshold: 1, addresses: [addressOf(address)] },
  })
  return assembleXTx(
    {
      type: 'BaseTx',
      networkId: 5,
      blockchainId: genesis.xChainId,
      outputs: [output(sumOf(coins) - 1n, owner + 1), output(1n, owner % 5_000)],
      inputs: coins.map(({ txId, outputIndex, amount }) => ({
        txId,
        outputIndex,
        assetId,
        input: { type: 'secp-transfer', amount, sigIndices: [0] },
      })),
      memo: new Uint8Array(0),
    },
    coins.map(() => ({ type: 'secp-credential', signatures: [Buffer.alloc(65, 5)] })),
  )
}

function addressOf(number: number): Buffer {
  const bytes = Buffer.alloc(20, 1)
  bytes.writeUInt32BE(number, 8)
  return bytes
}

/** The recorded first block names its parent; whatever made it is of no interest here. */
function stopVertexOf(parent: string | undefined): string {
  return parent === undefined ? EMPTY_ID : idFromCb58(parent)
}
