import { expect, it, onTestFinished } from 'vitest'
import { type Anvil, startAnvil } from '../../support/evm/anvil.ts'
import { type Lie, startLyingProxy } from '../lying-proxy.ts'
import { dumpEvm, startEvmStage } from './evm-stage.ts'

const head = (chain: Anvil) => chain.rpc<{ number: string; hash: string }>('eth_getBlockByNumber', ['latest', false])

/** A server that has not the blocks of these places. */
const lacking =
  (lacks: (place: string) => boolean): Lie =>
  (body, request) => {
    const asked = [JSON.parse(request.body)].flat() as { id: unknown; method: string; params: [string] }[]
    const lacked = asked.filter(({ method, params }) => method === 'eth_getBlockByNumber' && lacks(params[0]))
    const ids = new Set(lacked.map(({ id }) => id))
    const told = JSON.parse(body.toString())
    const strip = (one: { id: unknown }) => (ids.has(one.id) ? { ...one, result: null } : one)
    return Buffer.from(JSON.stringify(Array.isArray(told) ? told.map(strip) : strip(told)))
  }

/** A chain that is indexed through a server that may lack blocks, and on which more happens before the index begins anew. */
async function startForgetful(blocks: number, lacks: (place: string) => boolean) {
  const chain = await startAnvil({ chainId: 4_242 })
  onTestFinished(() => chain.stop())
  const mine = async (count: number, to: number) => {
    for (let block = 0; block < count; block++) await chain.send({ to: chain.accounts[to] ?? '', value: 1n })
  }
  await mine(blocks, 1)
  let isForgetful = false
  const node = await startLyingProxy(
    chain.url,
    lacking((place) => isForgetful && lacks(place)),
  )
  onTestFinished(() => node.stop())
  const stage = await startEvmStage(node.url, chain.chainId)
  await stage.at(await head(chain))
  const before = await dumpEvm(stage.sql)
  await stage.indexer.stop()
  return {
    chain,
    stage,
    before,
    mine,
    again() {
      isForgetful = true
      stage.again()
    },
    remember() {
      isForgetful = false
    },
    complains: (text: string) => expect.poll(() => stage.indexer.status().streams[0]?.error).toContain(text),
  }
}

it('gives nothing up where the only node was synced by state meanwhile, and goes on behind one that has the blocks', async () => {
  const synced = await startForgetful(12, (place) => /^0x([1-9a-f]|10)$/.test(place))
  const { chain, stage, before } = synced
  await synced.mine(8, 2)
  synced.again()
  await synced.complains('is not there')
  expect(await dumpEvm(stage.sql)).toEqual(before)
  synced.remember()
  await stage.at(await head(chain))
})

it('gives nothing up where the only node is merely behind', async () => {
  const { chain, stage, mine } = await startForgetful(5, () => false)
  const snapshot = await chain.rpc('evm_snapshot')
  await mine(6, 2)
  stage.again()
  await stage.at(await head(chain))
  const before = await dumpEvm(stage.sql)
  await stage.indexer.stop()
  // The same branch, up to an earlier block.
  await chain.rpc('evm_revert', [snapshot])
  stage.again()
  await expect.poll(() => stage.indexer.status().streams[0]?.error).toContain('the chain is at 5, 11 is stored')
  expect(await dumpEvm(stage.sql)).toEqual(before)
})

it('gives nothing up where the chain left the branch in blocks that no node has, and goes back behind one that has', async () => {
  const synced = await startForgetful(2, (place) => /^0x[1-6]$/.test(place))
  const { chain, stage } = synced
  const snapshot = await chain.rpc('evm_snapshot')
  await synced.mine(6, 1)
  stage.again()
  await stage.at(await head(chain))
  const before = await dumpEvm(stage.sql)
  await stage.indexer.stop()
  await chain.rpc('evm_revert', [snapshot])
  await chain.rpc('evm_increaseTime', [60])
  await synced.mine(9, 2)
  synced.again()
  await synced.complains('no node has the blocks')
  expect(await dumpEvm(stage.sql)).toEqual(before)
  synced.remember()
  await stage.at(await head(chain))
  const heights = await stage.sql('select height from evm_block where height = 11')
  expect(heights).toHaveLength(1)
})

it('gives nothing up for another chain of the same id whose first block no node tells', async () => {
  const other = await startForgetful(5, (place) => ['0x0', '0x1', 'earliest'].includes(place))
  const { chain, stage, before } = other
  await chain.rpc('anvil_reset')
  await chain.rpc('evm_increaseTime', [60])
  await other.mine(7, 2)
  other.again()
  await other.complains('no node has its first block')
  expect(await dumpEvm(stage.sql)).toEqual(before)
})
