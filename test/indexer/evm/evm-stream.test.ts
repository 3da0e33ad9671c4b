import { expect, it, onTestFinished } from 'vitest'
import { indexAge } from '../../../src/store/index.ts'
import { type Anvil, startAnvil } from '../../support/evm/anvil.ts'
import { callData } from '../../support/evm/contracts.ts'
import { type Lie, startLyingProxy } from '../lying-proxy.ts'
import { dumpEvm, startEvmStage } from './evm-stage.ts'

type Head = { number: string; hash: string }

async function startChain(chainId = 4_242): Promise<Anvil & { head(): Promise<Head>; who(index: number): string }> {
  const anvil = await startAnvil({ chainId })
  onTestFinished(() => anvil.stop())
  return {
    ...anvil,
    head: () => anvil.rpc<Head>('eth_getBlockByNumber', ['latest', false]),
    who: (index) => anvil.accounts[index] ?? '',
  }
}

it('leaves a dead branch, however long, and holds then what an index of the living one holds', async () => {
  const chain = await startChain()
  const nft = await chain.deploy('EnumNft')
  const mint = (to: number, id: number) =>
    chain.send({ to: nft, data: callData('EnumNft', 'mint', [chain.who(to), id, 'https://nft.example/1']) })
  const give = (from: number, to: number, id: number) =>
    chain.send({
      from: chain.who(from),
      to: nft,
      data: callData('EnumNft', 'transferFrom', [chain.who(from), chain.who(to), id]),
    })
  await mint(1, 7)
  await give(1, 2, 7)
  const snapshot = await chain.rpc('evm_snapshot')
  await give(2, 3, 7)
  await mint(4, 8)
  await chain.send({ to: nft, data: callData('EnumNft', 'setUri', [7, 'https://nft.example/2']) })
  for (let block = 0; block < 5; block++) await chain.deploy('PlainNft', ['Plain', 'PLN', 'https://nft.example/'])

  const stage = await startEvmStage(chain.url, chain.chainId)
  await stage.at(await chain.head())
  const before = await dumpEvm(stage.sql)
  await chain.rpc('evm_revert', [snapshot])
  // Another history, first shorter than the dead one, then longer.
  await chain.rpc('evm_increaseTime', [3_600])
  await give(2, 5, 7)
  for (let block = 0; block < 12; block++) await chain.send({ to: chain.who(6), value: 1n })
  await stage.at(await chain.head())
  const clean = await startEvmStage(chain.url, chain.chainId)
  await clean.at(await chain.head())

  const [left, right] = [await dumpEvm(stage.sql), await dumpEvm(clean.sql)]
  expect(left).toEqual(right)
  expect(before['evm_nft']).toHaveLength(2)
  expect(left['evm_nft']).toHaveLength(1)
  expect(left['evm_nft']?.[0]).toContain(chain.who(5).slice(2))
})

it('keeps a token whose last move alone was on the dead branch, with the owner of before', async () => {
  const chain = await startChain()
  const nft = await chain.deploy('EnumNft')
  await chain.send({ to: nft, data: callData('EnumNft', 'mint', [chain.who(1), 7, 'https://nft.example/1']) })
  for (let block = 0; block < 3; block++) await chain.send({ to: chain.who(6), value: 1n })
  const snapshot = await chain.rpc('evm_snapshot')
  const data = callData('EnumNft', 'transferFrom', [chain.who(1), chain.who(2), 7])
  await chain.send({ from: chain.who(1), to: nft, data })
  // Catching up, all of it comes in one page: the token was made in it, and moved in it.
  const stage = await startEvmStage(chain.url, chain.chainId)
  await stage.at(await chain.head())
  const owners = async () => stage.sql('select owner, first_height from evm_nft')
  expect(await owners()).toEqual([{ owner: chain.who(2).slice(2), first_height: 2n }])

  await chain.rpc('evm_revert', [snapshot])
  await chain.rpc('evm_increaseTime', [60])
  for (let block = 0; block < 2; block++) await chain.send({ to: chain.who(6), value: 2n })
  await stage.at(await chain.head())
  expect(await owners()).toEqual([{ owner: chain.who(1).slice(2), first_height: 2n }])
  expect(await stage.sql('select token_id from evm_nft_metadata')).toHaveLength(1)
})

it('reads names anew that may be of the dead branch, also where nothing of the contract comes after', async () => {
  const chain = await startChain()
  const nft = await chain.deploy('EnumNft')
  await chain.send({ to: nft, data: callData('EnumNft', 'mint', [chain.who(1), 7, 'https://nft.example/1']) })
  const snapshot = await chain.rpc('evm_snapshot')
  const dead = `0x${Buffer.from('Dead').toString('hex').padEnd(62, '0')}08`
  await chain.rpc('anvil_setStorageAt', [nft, `0x${'0'.repeat(64)}`, dead])
  const data = callData('EnumNft', 'transferFrom', [chain.who(1), chain.who(2), 7])
  await chain.send({ from: chain.who(1), to: nft, data })
  const stage = await startEvmStage(chain.url, chain.chainId)
  await stage.at(await chain.head())
  const names = () => stage.sql('select name, height from evm_contract')
  expect(await names()).toEqual([{ name: 'Dead', height: 1n }])

  await chain.rpc('evm_revert', [snapshot])
  await chain.rpc('evm_increaseTime', [60])
  for (let block = 0; block < 3; block++) await chain.send({ to: chain.who(6), value: 2n })
  await stage.at(await chain.head())
  const clean = await startEvmStage(chain.url, chain.chainId)
  await clean.at(await chain.head())
  const [left, right] = [await dumpEvm(stage.sql), await dumpEvm(clean.sql)]
  expect(right['evm_contract']?.join()).not.toContain('Dead')
  expect(left['evm_contract']).toEqual(right['evm_contract'])
})

it.each([false, true])(
  'fetches metadata once more that may be of the dead branch, restarted: %s',
  async (restarted) => {
    const chain = await startChain()
    const nft = await chain.deploy('EnumNft')
    const data = (name: string, ...args: unknown[]) => callData('EnumNft', name, args)
    for (const id of [7, 8])
      await chain.send({ to: nft, data: data('mint', chain.who(1), id, 'https://nft.example/1') })
    const snapshot = await chain.rpc('evm_snapshot')
    const stage = await startEvmStage(chain.url, chain.chainId)
    await stage.at(await chain.head())
    const { nftMetadata } = stage.store
    const taken = async () => (await nftMetadata.takeDue(10, 300, 'others')).map(({ tokenId }) => tokenId).sort()
    // The second one is fetched before the branch begins, the first one because of what only the branch tells.
    for (const token of await nftMetadata.takeDue(10, 300, 'others'))
      await nftMetadata.store(token, { status: 'INDEXED' })
    await chain.send({ to: nft, data: data('setUri', 7, 'https://nft.example/2') })
    await stage.at(await chain.head())
    for (const token of await nftMetadata.takeDue(10, 300, 'others'))
      await nftMetadata.store(token, { status: 'INDEXED' })
    expect(await taken()).toEqual([])

    if (restarted) await stage.indexer.stop()
    await chain.rpc('evm_revert', [snapshot])
    await chain.rpc('evm_increaseTime', [60])
    for (let block = 0; block < 3; block++) await chain.send({ to: chain.who(6), value: 2n })
    if (restarted) stage.again()
    await stage.at(await chain.head())
    expect(await taken()).toEqual([7n])
  },
)

it('notices that the last block was replaced by another of the same height', async () => {
  const chain = await startChain()
  await chain.send({ to: chain.who(1), value: 1n })
  const snapshot = await chain.rpc('evm_snapshot')
  await chain.send({ to: chain.who(2), value: 2n })
  const stage = await startEvmStage(chain.url, chain.chainId)
  const dead = await chain.head()
  await stage.at(dead)
  await chain.rpc('evm_revert', [snapshot])
  await chain.rpc('evm_increaseTime', [60])
  await chain.send({ to: chain.who(3), value: 3n })
  const living = await chain.head()
  expect(living.number).toBe(dead.number)
  await stage.at(living)
  const participants = (await dumpEvm(stage.sql))['evm_participant']?.join()
  expect(participants).toContain(chain.who(3).slice(2))
  expect(participants).not.toContain(chain.who(2).slice(2))
})

it('does not give the index up for a chain of the same id that begins with another block', async () => {
  const chain = await startChain()
  for (let block = 0; block < 5; block++) await chain.send({ to: chain.who(1), value: 1n })
  const stage = await startEvmStage(chain.url, chain.chainId)
  await stage.at(await chain.head())
  const before = await dumpEvm(stage.sql)
  await chain.rpc('anvil_reset')
  await chain.rpc('evm_increaseTime', [60])
  for (let block = 0; block < 7; block++) await chain.send({ to: chain.who(2), value: 1n })
  await expect.poll(() => stage.indexer.status().streams[0]?.error).toContain('begins with another block')
  expect(await dumpEvm(stage.sql)).toEqual(before)
  // Nor is it served any more, however young it is.
  const [progress] = await stage.store.reader.progress()
  expect(progress && indexAge(progress, Date.now())).toMatchObject({ disowned: true })
})

/** A server in front of the chain that does not know a method. */
const without =
  (method: string, { code, message } = { code: -32601, message: `the method ${method} does not exist` }): Lie =>
  (body, request) => {
    if (!request.body.includes(method)) return body
    const refuse = (call: { id: unknown; method: string }, answer: unknown) =>
      call.method === method ? { jsonrpc: '2.0', id: call.id, error: { code, message } } : answer
    const asked = JSON.parse(request.body) as { id: unknown; method: string }[]
    const answers = JSON.parse(body.toString()) as { id: unknown }[]
    if (!Array.isArray(asked)) return Buffer.from(JSON.stringify(refuse(asked, answers)))
    return Buffer.from(
      JSON.stringify(
        asked.map((call) =>
          refuse(
            call,
            answers.find(({ id }) => id === call.id),
          ),
        ),
      ),
    )
  }

// As geth, Besu, and what stands before nodes say it.
it.each([
  undefined,
  { code: -32604, message: 'Method not enabled' },
  { code: -32600, message: 'Unsupported method: eth_getBlockReceipts' },
  { code: -32000, message: 'method eth_getBlockReceipts is not whitelisted' },
  { code: -32004, message: 'Method not supported' },
])('reads receipts one by one where a node has no method for those of a block: %j', async (refusal) => {
  const chain = await startChain()
  const token = await chain.deploy('PlainNft', ['Plain', 'PLN', 'https://nft.example/'])
  await chain.send({ to: token, data: callData('PlainNft', 'mintBatch', [chain.who(1), 1, 5]) })
  const proxy = await startLyingProxy(chain.url, without('eth_getBlockReceipts', refusal))
  onTestFinished(() => proxy.stop())
  const [poor, rich] = [await startEvmStage(proxy.url, chain.chainId), await startEvmStage(chain.url, chain.chainId)]
  await Promise.all([poor.at(await chain.head()), rich.at(await chain.head())])
  expect(proxy.lies).toBeGreaterThan(0)
  expect(await dumpEvm(poor.sql)).toEqual(await dumpEvm(rich.sql))
  expect((await dumpEvm(poor.sql))['evm_nft']).toHaveLength(5)
})

it('does not take receipts without their logs for blocks in which nothing happened', async () => {
  const chain = await startChain()
  const nft = await chain.deploy('EnumNft')
  await chain.send({ to: nft, data: callData('EnumNft', 'mint', [chain.who(1), 7, 'https://nft.example/1']) })
  let stripped = true
  const proxy = await startLyingProxy(chain.url, (body, request) => {
    if (!stripped || !request.body.includes('eth_getBlockReceipts')) return body
    return Buffer.from(body.toString().replace(/"logs":\[\{.*?\}\]/g, '"logs":[]'))
  })
  onTestFinished(() => proxy.stop())
  const stage = await startEvmStage(proxy.url, chain.chainId)
  await expect.poll(() => stage.indexer.status().streams[0]?.error).toContain('without their logs')
  expect(await stage.sql('select * from evm_block where height > 1')).toEqual([])
  stripped = false
  await stage.at(await chain.head())
  expect((await dumpEvm(stage.sql))['evm_nft']).toHaveLength(1)
})

it('asks another server where one lies about what moved', async () => {
  const chain = await startChain()
  const nft = await chain.deploy('EnumNft')
  const mint = callData('EnumNft', 'mint', [chain.who(1), 7, 'https://nft.example/1'])
  for (const to of [nft, chain.who(2)]) await chain.send({ to, ...(to === nft ? { data: mint } : { value: 5n }) })
  const owner = chain.who(1).slice(2)
  const liar = await startLyingProxy(chain.url, (body, { body: asked }) => {
    const text = body.toString()
    // Another owner in the logs, another amount in the transactions: hashes stay as they are.
    if (asked.includes('eth_getBlockReceipts')) return Buffer.from(text.replaceAll(owner, 'f'.repeat(40)))
    return asked.includes('true]') ? Buffer.from(text.replaceAll('"value":"0x5"', '"value":"0x6"')) : body
  })
  onTestFinished(() => liar.stop())
  const told = await startEvmStage([liar.url, chain.url], chain.chainId)
  const honest = await startEvmStage(chain.url, chain.chainId)
  await Promise.all([told.at(await chain.head()), honest.at(await chain.head())])
  expect(liar.lies).toBeGreaterThan(1)
  expect(await dumpEvm(told.sql)).toEqual(await dumpEvm(honest.sql))
})

it('takes a token id in a fourth topic for an NFT, and without one for nothing of the kind', async () => {
  const chain = await startChain()
  const tokens: string[] = []
  for (const name of ['Kitty4', 'Kitty1']) {
    const contract = await chain.deploy(name)
    tokens.push(contract.slice(2))
    await chain.send({ to: contract, data: callData(name, 'mint', [chain.who(1), 5]) })
  }
  const stage = await startEvmStage(chain.url, chain.chainId)
  await stage.at(await chain.head())
  const { evm_nft: nfts, evm_holding: holdings } = await dumpEvm(stage.sql)
  expect(nfts).toHaveLength(1)
  expect(nfts?.[0]).toContain(tokens[0])
  expect(holdings).toEqual([])
})

it('an endpoint that serves another chain is not indexed under this name', async () => {
  const chain = await startChain(4_243)
  const stage = await startEvmStage(chain.url, 4_242)
  await expect.poll(() => stage.indexer.status().streams[0]?.error).toBe('eip155:4242: the node serves the chain 4243')
  expect(await stage.sql('select * from stream')).toEqual([])
})
