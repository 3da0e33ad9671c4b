import { expect, it, onTestFinished } from 'vitest'
import { startAnvil } from '../../support/evm/anvil.ts'
import { callData } from '../../support/evm/contracts.ts'
import { eventually } from '../../support/waiting/eventually.ts'
import { startLyingProxy } from '../lying-proxy.ts'
import { startEvmStage } from './evm-stage.ts'

/** A chain whose index was rewound twice, each time without a page after it, since its node gives no receipts away. */
async function rewoundTwice() {
  const chain = await startAnvil({ chainId: 4_242 })
  onTestFinished(() => chain.stop())
  const [first = '', second = '', third = ''] = chain.accounts
  let isSilent = false
  const node = await startLyingProxy(chain.url, (body, request) =>
    isSilent && request.body.includes('Receipt') ? undefined : body,
  )
  onTestFinished(() => node.stop())
  const head = () => chain.rpc<{ number: string; hash: string }>('eth_getBlockByNumber', ['latest', false])
  const move = (nft: string, id: number) =>
    chain.send({ from: first, to: nft, data: callData('EnumNft', 'transferFrom', [first, second, id]) })
  const mint = (nft: string, id: number) =>
    chain.send({ to: nft, data: callData('EnumNft', 'mint', [first, id, 'https://nft.example/1']) })

  const old = await chain.deploy('EnumNft')
  await mint(old, 7)
  const low = await chain.rpc('evm_snapshot')
  const newer = await chain.deploy('EnumNft')
  await mint(newer, 7)
  const high = await chain.rpc('evm_snapshot')
  await move(newer, 7)
  await move(old, 7)
  const stage = await startEvmStage(node.url, chain.chainId)
  await stage.at(await head())
  const names = async () => stage.sql('select address, name from evm_contract order by height')
  const all = await names()

  const leave = async (snapshot: unknown, height: bigint) => {
    isSilent = true
    await chain.rpc('evm_revert', [snapshot])
    await chain.rpc('evm_increaseTime', [60])
    for (let block = 0; block < 3; block++) await chain.send({ to: third, value: height })
    await eventually(async () => {
      const [stored] = await stage.store.reader.progress()
      expect(stored?.tip?.height).toBe(height)
    })
    await stage.indexer.stop()
  }
  const begin = () => {
    stage.again()
    isSilent = false
  }
  return { stage, all, names, head, begin, leave, low, high, old: old.slice(2).toLowerCase() }
}

it('names that a rewind has forgotten are read again by the next process, where this one ended before its next page', async () => {
  const { stage, all, names, head, begin, leave, high } = await rewoundTwice()
  await leave(high, 3n)
  expect(await names()).toEqual(all.map((one) => ({ ...one, name: null })))
  begin()
  await stage.at(await head())
  expect(await names()).toEqual(all)
  // Each block has one transaction, and the sum of them goes on from where the chain was left.
  const blocks = await stage.sql('select height, cumulative_transactions as sum from evm_block order by height')
  expect(blocks.length).toBeGreaterThan(4)
  expect(blocks.map(({ sum }) => sum)).toEqual(blocks.map(({ height }) => height))
})

it('after another rewind, names are read of the contracts alone that are left', async () => {
  const { stage, all, names, head, begin, leave, high, low, old } = await rewoundTwice()
  await leave(high, 3n)
  stage.again()
  await leave(low, 2n)
  begin()
  await stage.at(await head())
  expect(await names()).toEqual(all.filter(({ address }) => address === old))
})
