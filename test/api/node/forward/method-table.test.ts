import { describe, expect, it } from 'vitest'
import { gate } from '../../../support/waiting/gate.ts'
import { evmCall, gorillaCall, nodeAt, OTHER_CHAIN, type Reply, startFront } from '../fake-nodes.ts'

const PATHS: Readonly<Record<string, string>> = {
  platform: '/ext/bc/P',
  avm: '/ext/bc/X',
  wallet: '/ext/bc/X/wallet',
  avax: '/ext/bc/C/avax',
  index: '/ext/index/P/block',
  info: '/ext/info',
}

/** Blocks and transactions, and what a node's version and configuration say: one question serves everybody. */
const KEPT = `info.getNetworkID info.getNetworkName info.getTxFee info.upgrades
  platform.getBlock platform.getBlockByHeight platform.getTx platform.getTxStatus platform.getStakingAssetID
  platform.getFeeConfig platform.getValidatorFeeConfig platform.validatedBy platform.getMinStake
  avm.getBlock avm.getBlockByHeight avm.getTx avm.getTxStatus avm.getAssetDescription avm.getTxFee
  avax.getAtomicTx avax.getAtomicTxStatus
  index.getContainerByID index.getContainerByIndex index.getIndex index.isAccepted`

/** What the next block may change. */
const TIP = `platform.getHeight platform.getTimestamp platform.getBalance platform.getUTXOs platform.getStake
  platform.getTotalStake platform.getCurrentSupply platform.getCurrentValidators platform.getL1Validator
  platform.getSubnet platform.getSubnets platform.getBlockchains platform.getRewardUTXOs platform.getFeeState
  platform.getValidatorFeeState
  avm.getHeight avm.getUTXOs avm.getBalance avm.getAllBalances avax.getUTXOs index.getLastAccepted`

/** What moves something: never answered from memory, and what was known of the tip before is forgotten. */
const WRITES = `platform.issueTx avm.issueTx wallet.issueTx avax.issueTx eth_sendRawTransaction eth_sendTransaction
  platform.addUnheardOf platform.createUnheardOf avm.mintUnheardOf avm.sendUnheardOf avax.exportUnheardOf
  avax.importUnheardOf wallet.issueUnheardOf`

/** What is asked anew each time: about now, about votes of nodes, and whatever the table does not name. */
const ASKED = 'platform.getValidatorsAt platform.sampleValidators platform.getProposedHeight avm.unheardOf'

/** What every node answers for itself. */
const OF_A_NODE = 'info.getNodeID info.getNodeIP info.getVMs info.peers info.uptime'

const names = (list: string): string[] => list.split(/\s+/)

/** Everything that tells a final answer from one that is not. */
const FINAL = '{"status":"Accepted","also":{"status":"Committed"},"blockHeight":"7","isAccepted":true}'

/** A server that remembers about the tip for minutes, and how often its node hears each of our questions. */
async function startCounted() {
  const front = await startFront(1, { node: { tipCacheMs: 600_000 } })
  let asked: string[] = []
  let questions = 0
  for (const node of front.nodes)
    node.answer = ({ method, body }): Reply => {
      if (method === undefined || !body.includes('"mark"')) return undefined
      asked.push(method)
      if (method.startsWith('eth_')) return undefined
      const id = /"id":(\d+)/.exec(body.toString())?.[1]
      return { body: `{"jsonrpc":"2.0","result":${FINAL},"id":${id}}\n` }
    }
  const ask = (method: string, mark: number) => {
    questions += 1
    const [service = ''] = method.split('.')
    if (service === method) return front.post('/ext/bc/C/rpc', evmCall(method, `["mark",${mark}]`))
    return front.post(PATHS[service] ?? '', gorillaCall(method, `{"mark":${mark}}`, String(questions)))
  }
  /** What the node hears of a question that is asked twice, of a transaction, and of the question once more. */
  const hears = async (method: string, write = 'platform.issueTx'): Promise<string[]> => {
    asked = []
    const mark = questions
    for (const one of [method, method, write, method]) await ask(one, mark)
    return asked
  }
  // The tip has to be known before anything is bound to it.
  for (const method of ['platform.getUTXOs', 'avm.getUTXOs', 'avax.getUTXOs'])
    await expect.poll(async () => (await hears(method)).length).toBe(3)
  return {
    /** How often each of the methods is heard. */
    counts: async (list: string) => {
      const counts: Record<string, number> = {}
      for (const method of names(list)) counts[method] = (await hears(method)).filter((one) => one === method).length
      return counts
    },
    hears,
  }
}

const all = (list: string, count: number) => Object.fromEntries(names(list).map((method) => [method, count]))

describe('forwarded methods', () => {
  it('that tell what is final or settled are asked once', async () => {
    const { counts } = await startCounted()
    expect(await counts(KEPT)).toEqual(all(KEPT, 1))
  })

  it('about the tip are asked once until something moves', async () => {
    const { counts } = await startCounted()
    expect(await counts(TIP)).toEqual(all(TIP, 2))
  })

  it('about the tip are asked anew after a while, and each time where no height is known', async () => {
    const front = await startFront(1, { node: { tipCacheMs: 300 } })
    const node = nodeAt(front, 0)
    const asks = async (path: string, method: string, turns: number) => {
      node.asked.length = 0
      for (let turn = 0; turn < turns; turn += 1) await front.post(path, gorillaCall(method, '{"addresses":[]}'))
      return node.asked.length
    }
    await expect.poll(() => asks('/ext/bc/P', 'platform.getBalance', 2)).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect(await asks('/ext/bc/P', 'platform.getBalance', 1)).toBe(1)
    expect(await asks(`/ext/bc/${OTHER_CHAIN}/avax`, 'avax.getUTXOs', 5)).toBe(5)
  })

  it('about the tip are not kept where a transaction was sent while they were asked for', async () => {
    const front = await startFront(1, { node: { tipCacheMs: 600_000 } })
    const sent = gate()
    const asked: string[] = []
    nodeAt(front, 0).answer = async ({ method, body }): Promise<Reply> => {
      if (method !== 'platform.getBalance') return undefined
      const id = /"id":(\d+)/.exec(body.toString())?.[1] ?? ''
      asked.push(id)
      if (id === '1') await sent.opened
      return { body: `{"jsonrpc":"2.0","result":{"balance":"${id}"},"id":${id}}\n` }
    }
    const ask = async (id: number, address = '"x"') =>
      (await front.post('/ext/bc/P', gorillaCall('platform.getBalance', `{"addresses":[${address}]}`, `${id}`))).text
    // The tip has to be known before anything is bound to it.
    await expect.poll(async () => [await ask(10, '"y"'), await ask(11, '"y"')][1]).toContain('"balance":"10"')
    const early = ask(1)
    await expect.poll(() => asked).toContain('1')
    await front.post('/ext/bc/P', gorillaCall('platform.issueTx'))
    sent.open()
    expect(await early).toContain('"balance":"1"')
    for (const id of [2, 3]) expect(await ask(id)).toContain('"balance":"2"')
  })

  it('of two endpoints, or with names that mean something elsewhere, are not mixed up', async () => {
    const front = await startFront(2)
    for (const node of front.nodes) node.answer = ({ method }) => (method === 'constructor' ? 'cut' : undefined)
    // The same question, but not the same list.
    const call = gorillaCall('index.getContainerByIndex', '{"index":"7"}')
    for (const list of ['P/block', 'X/block', 'X/tx', 'C/block', 'P/block'])
      await front.post(`/ext/index/${list}`, call)
    const asked = front.nodes
      .flatMap((node) => node.asked)
      .filter(({ method }) => method === 'index.getContainerByIndex')
    const paths = asked.map(({ path }) => path)
    expect(paths.sort()).toEqual(['C/block', 'P/block', 'X/block', 'X/tx'].map((list) => `/ext/index/${list}`))
    // A read as any other that the table does not name: another node is asked.
    expect((await front.post('/ext/bc/P', gorillaCall('constructor'))).status).toBe(502)
    for (const { asked } of front.nodes) expect(asked.some(({ method }) => method === 'constructor')).toBe(true)
  })

  it('about anything else are asked each time', async () => {
    const { counts } = await startCounted()
    expect(await counts(ASKED)).toEqual(all(ASKED, 3))
  })

  it('that move something are sent each time, and what was known of the tip is forgotten', async () => {
    const { hears } = await startCounted()
    for (const write of names(WRITES))
      expect(await hears('platform.getBalance', write)).toEqual(['platform.getBalance', write, 'platform.getBalance'])
  })

  it('about a node itself go to one node, and to no other when it fails', async () => {
    const front = await startFront(2)
    const fail = ({ method }: { method: string | undefined }): Reply =>
      names(OF_A_NODE).includes(method ?? '') ? { status: 500, body: 'no' } : undefined
    for (const node of front.nodes) node.answer = fail
    for (const method of names(OF_A_NODE)) await front.post('/ext/info', gorillaCall(method))
    const [first, second] = front.nodes.map(({ asked }) => new Set(asked.map(({ method }) => method)))
    expect([...(first ?? [])].sort()).toEqual(names(OF_A_NODE).sort())
    expect(second).toEqual(new Set())
  })
})
