import { expect, it, onTestFinished } from 'vitest'
import { createEvmStream } from '../../../src/indexer/evm/evm-stream.ts'
import { createUpstreamPool } from '../../../src/upstream/index.ts'
import { startAnvil } from '../../support/evm/anvil.ts'
import { callData } from '../../support/evm/contracts.ts'
import { TEST_LIMITS } from '../../support/upstream/upstream-pool.ts'

it('names that a rewind has forgotten come again until the page that brought them is stored', async () => {
  const chain = await startAnvil({ chainId: 4_242 })
  onTestFinished(() => chain.stop())
  const [first = '', second = ''] = chain.accounts
  const nft = await chain.deploy('EnumNft')
  await chain.send({ to: nft, data: callData('EnumNft', 'mint', [first, 7, 'https://nft.example/1']) })
  for (let block = 3; block <= 6; block++) await chain.send({ to: second, value: 2n })
  const ids: string[] = []
  for (let height = 0; height <= 6; height++) {
    const block = await chain.rpc<{ hash: string }>('eth_getBlockByNumber', [`0x${height.toString(16)}`, false])
    ids.push(block.hash.slice(2))
  }
  const pool = createUpstreamPool('names', [{ url: chain.url }], TEST_LIMITS)
  onTestFinished(() => pool.close())
  const stream = createEvmStream({
    definition: { name: 'eip155:4242', kind: 'evm', testnet: true, evmChainId: 4_242n },
    pool,
    path: '/',
    stored: async (height) => ({ hash: height > 2n ? 'dead' : (ids[Number(height)] ?? ''), count: height }),
    movedAbove: async () => [nft.slice(2).toLowerCase()],
  })
  const { signal } = new AbortController()
  /** As a session begins: to where it goes back, and which contracts its next page names. */
  const begin = async (at: bigint, id = ids[Number(at)] ?? '') => {
    const height = (await stream.fork?.({ height: at, id }, signal)) ?? at
    const tip = { height, blockId: ids[Number(height)] ?? '', time: 1n }
    await stream.open({ tip } as never, signal)
    const { blocks } = await stream.fetch(height + 1n, { height, id: tip.blockId }, signal)
    return { height, names: [...(blocks[0]?.facts.names.keys() ?? [])] }
  }
  const named = { height: 2n, names: [nft.slice(2).toLowerCase()] }
  expect(await begin(5n, 'dead')).toEqual(named)
  // The page was not stored: the next session begins where the last one did.
  expect(await begin(2n)).toEqual(named)
  expect(await begin(5n)).toEqual({ height: 5n, names: [] })
})
