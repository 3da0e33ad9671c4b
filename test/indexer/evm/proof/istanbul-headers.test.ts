import { toRlp } from 'viem'
import { describe, expect, it } from 'vitest'
import { headerHash } from '../../../../src/indexer/evm/proof/header-hash.ts'
import { createBlockProof } from '../../../../src/indexer/evm/proof/index.ts'
import type { RpcBlock } from '../../../../src/indexer/evm/rpc-block.ts'

const zeros = (bytes: number): string => `0x${'00'.repeat(bytes)}`

/** What these headers have in common. */
const shared = {
  sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
  transactionsRoot: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
  receiptsRoot: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
  withdrawalsRoot: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
  gasUsed: '0x0',
  nonce: '0x0000000000000000',
  mixHash: '0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365',
  difficulty: '0x1',
  gasLimit: '0x1fffffffffffff',
  stateRoot: '0xd67e0acd6e1a8f3796f096566811c8eb2da91114c81ff21a64656f0a687fbc70',
  logsBloom: zeros(256),
  transactions: [],
}

type Header = RpcBlock & { extraData: string; miner: string }

const header = (own: object): Header => ({ ...shared, ...own }) as unknown as Header

/** As a Besu node with one validator made them, the first block and another one of each kind of network. */
const made: readonly (readonly [string, Header, Header])[] = [
  [
    'QBFT',
    header({
      hash: '0xec192a1646a63e4cc9e940a7357743ffa294661ec806bb249669e9765ef64494',
      number: '0x0',
      parentHash: '0x0000000000000000000000000000000000000000000000000000000000000000',
      miner: '0x0000000000000000000000000000000000000000',
      extraData:
        '0xf83aa00000000000000000000000000000000000000000000000000000000000000000d594acd4fb2e5246cfe90f41e9be507b559d0991867cc080c0',
      baseFeePerGas: '0x3b9aca00',
      timestamp: '0x0',
    }),
    header({
      hash: '0xd41816a27a0a03864b397d9a61ef265f4bc0ec7ab123491e16cf6d17a9b21c1e',
      number: '0x5',
      parentHash: '0xc9635c91f7a4938d0a0ceb620680a68a3acaf9180a96261535bcbde85b29460b',
      miner: '0xacd4fb2e5246cfe90f41e9be507b559d0991867c',
      extraData:
        '0xf87ea0000000000000000000000000000000000000000000000062657375206e756c6cd594acd4fb2e5246cfe90f41e9be507b559d0991867cc080f843b841ddffef38c0c77f3514d19e7ea84fdf0266f15508ef6839493a7c6f64c4a5f80709ab440ce56c2980a96fe39ca0c79cf2a4fdd0acbc80200bdf5357951b3330a101',
      baseFeePerGas: '0x0',
      timestamp: '0x6b09aae6',
    }),
  ],
  [
    'IBFT 2',
    header({
      hash: '0x9f24568b011d3baecac25551d85a23167cf24716591c7ae8b34e65bf9351cb10',
      number: '0x0',
      parentHash: '0x0000000000000000000000000000000000000000000000000000000000000000',
      miner: '0x0000000000000000000000000000000000000000',
      extraData:
        '0xf83ea00000000000000000000000000000000000000000000000000000000000000000d594acd4fb2e5246cfe90f41e9be507b559d0991867c808400000000c0',
      baseFeePerGas: '0x3b9aca00',
      timestamp: '0x0',
    }),
    header({
      hash: '0x1755e21c5d62ffaa97251dfc7d125f46942557100da645f309fd45dba379c643',
      number: '0x5',
      parentHash: '0x8c9ca5d10df2deefec6cf20b17d9dae091d51de0c4a8a32d849f47f248bde20a',
      miner: '0xacd4fb2e5246cfe90f41e9be507b559d0991867c',
      extraData:
        '0xf882a0000000000000000000000000000000000000000000000062657375206e756c6cd594acd4fb2e5246cfe90f41e9be507b559d0991867c808400000000f843b841ee2798fc8eddeacbf4241281473767c07ecb01704c192df637815d321572d92a727204b4366a5ff73a86624119a4cba7e6b926b3456c3fa0012930a39f42e06c00',
      baseFeePerGas: '0x0',
      timestamp: '0x6b09abb0',
    }),
  ],
]

describe.each(made)('blocks of a network of %s', (_, first, later) => {
  it('are held against their hashes, without the seals of validators', () => {
    const proof = createBlockProof()
    for (const block of [first, later]) proof.expectBlock(block)
    expect(proof.hashes).toBe(true)
  })

  it('are refused where they are not what their hash says', () => {
    const proof = createBlockProof()
    proof.expectBlock(first)
    const other = { ...later, miner: `0x${'ab'.repeat(20)}` }
    expect(() => proof.expectBlock(other)).toThrow('is not what its hash says')
  })

  it('are what their hash says whoever sealed them', () => {
    const proof = createBlockProof()
    // The last item is the list of seals, of one of 65 bytes.
    const seals = later.extraData.slice(-2 * 65)
    proof.expectBlock({ ...later, extraData: later.extraData.replace(seals, 'cd'.repeat(65)) } as Header)
    expect(proof.hashes).toBe(true)
  })
})

// GoQuorum's first kind: 32 bytes of anything, mostly those with which geth begins, before the list.
it.each(['00', 'd8'])('blocks of the first IBFT that begin with %s are held against their hashes', (start) => {
  const vanity = start.padEnd(64, '0')
  const validator = `0x${'11'.repeat(20)}` as const
  const seal = `0x${'22'.repeat(65)}` as const
  const sealed = (seals: readonly `0x${string}`[]): string => `0x${vanity}${toRlp([[validator], seal, seals]).slice(2)}`
  const [, , later] = made[0] ?? []
  const block = { ...later, extraData: sealed([]) } as Header
  const hash = `0x${headerHash(block)}`
  const proof = createBlockProof()
  proof.expectBlock({ ...block, hash, extraData: sealed([`0x${'33'.repeat(65)}`]) } as Header)
  expect(proof.hashes).toBe(true)
})

it.each(['0x', '0xff', '0xc0', zeros(32), `${zeros(32)}c0`, `${zeros(32)}f8`])(
  'a header with %s for these data is as good as before',
  (extraData) => {
    const proof = createBlockProof()
    proof.expectBlock(header({ ...made[0]?.[1], extraData }))
    expect(proof.hashes).toBe(false)
  },
)
