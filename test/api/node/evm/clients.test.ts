import { type Contract, ContractFactory, JsonRpcProvider, parseEther, Wallet, WebSocketProvider } from 'ethers'
import { createPublicClient, createWalletClient, type Hash, http, type PublicClient, parseAbi, webSocket } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { type Anvil, startAnvil } from '../../../support/evm/anvil.ts'
import { until } from '../../../support/waiting/until.ts'
import { type EvmNode, startEvmNode } from './evm-node.ts'
import { type EvmStage, startEvmStage } from './stage.ts'

/** The first two of anvil's well-known accounts. */
const KEYS = [
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
] as const
const TOPIC = '0x48257dc961b6f792c2b78a080dacfed693b660960a702de21cee364e20270e2f'

let anvil: Anvil
let node: EvmNode
let stage: EvmStage

beforeAll(async () => {
  anvil = await startAnvil()
  node = await startEvmNode(anvil.url)
  stage = await startEvmStage({ nodes: [node.url] })
})
afterAll(async () => {
  await stage.close()
  await node.stop()
  await anvil.stop()
})

/** A contract without Solidity: every call emits LOG1(call data word, TOPIC). */
const pingerCode = (): `0x${string}` => {
  const runtime = `600035600052${'7f'}${TOPIC.slice(2)}60206000a100`
  const length = (runtime.length / 2).toString(16).padStart(2, '0')
  return `0x60${length}600c60003960${length}6000f3${runtime}`
}

/** Until the socket of a client of viem has so many subscriptions. */
async function subscribed(client: PublicClient, count: number): Promise<void> {
  const { subscriptions } = await (
    client.transport['getRpcClient'] as () => Promise<{ subscriptions: Map<string, unknown> }>
  )()
  await until(() => subscriptions.size === count, `${count} subscriptions`)
}

describe('viem, unmodified', () => {
  const account = privateKeyToAccount(KEYS[0])
  const clientOf = (transport: ReturnType<typeof http> | ReturnType<typeof webSocket>) => ({
    reader: createPublicClient({ chain: foundry, transport, pollingInterval: 50 }) as PublicClient,
    writer: createWalletClient({ chain: foundry, transport, account }),
  })
  const transports = {
    http: () => http(`${stage.url}/ext/bc/C/rpc`),
    'http, batched': () => http(`${stage.url}/ext/bc/C/rpc`, { batch: true }),
    ws: () => webSocket(stage.wsUrl),
  }

  it.each(Object.keys(transports) as (keyof typeof transports)[])('reads, writes and watches over %s', async (name) => {
    const { reader, writer } = clientOf(transports[name]())
    const blocks: bigint[] = []
    const logs: Hash[] = []
    expect(await reader.getChainId()).toBe(31_337)
    const [balance, nonce] = await Promise.all([
      reader.getBalance({ address: account.address }),
      reader.getTransactionCount({ address: account.address }),
    ])
    expect(balance).toBeGreaterThan(10n ** 18n)
    expect(nonce).toBe(Number(await anvil.rpc('eth_getTransactionCount', [account.address, 'latest'])))
    const deployed = await reader.waitForTransactionReceipt({
      hash: await writer.sendTransaction({ data: pingerCode() }),
    })
    const address = deployed.contractAddress
    if (!address) throw new Error('not deployed')

    const filters = node.methods['eth_newFilter'] ?? 0
    const unwatchBlocks = reader.watchBlockNumber({ onBlockNumber: (height) => void blocks.push(height) })
    const unwatchLogs = reader.watchContractEvent({
      address,
      abi: parseAbi(['event Ping(uint256 value)']),
      onLogs: (found) => void logs.push(...found.map(({ transactionHash }) => transactionHash)),
    })
    // Over HTTP a filter is made first; what is sent before that is none of its business.
    if (name !== 'ws') await until(() => (node.methods['eth_newFilter'] ?? 0) > filters, 'a filter')
    else await subscribed(reader, 2)
    const sent: Hash[] = []
    for (let value = 1; value <= 3; value += 1) {
      const data = `0x${value.toString(16).padStart(64, '0')}` as const
      const hash = await writer.sendTransaction({ to: address, data })
      sent.push(hash)
      const receipt = await reader.waitForTransactionReceipt({ hash })
      expect(receipt.status).toBe('success')
    }
    await until(() => logs.length >= 3, 'three logs')
    const tip = BigInt(await anvil.rpc('eth_blockNumber'))
    await until(() => blocks.at(-1) === tip, 'the newest block')
    unwatchBlocks()
    unwatchLogs()
    expect(logs).toEqual(sent)
    expect(blocks).toEqual([...blocks].sort((a, b) => Number(a - b)))
  })
})

describe('ethers, unmodified', () => {
  // Blocks come faster here than the answers that ethers keeps for itself grow old.
  const options = { cacheTimeout: -1, pollingInterval: 50 }
  const providers = {
    http: () => new JsonRpcProvider(`${stage.url}/ext/bc/C/rpc`, undefined, { polling: true, ...options }),
    ws: () => new WebSocketProvider(() => new WebSocket(stage.wsUrl) as never, undefined, options),
  }

  it.each(Object.keys(providers) as (keyof typeof providers)[])('reads, writes and watches over %s', async (name) => {
    const provider = providers[name]()
    try {
      const wallet = new Wallet(KEYS[1], provider)
      const blocks: number[] = []
      const values: bigint[] = []
      expect((await provider.getNetwork()).chainId).toBe(31_337n)
      const contract = (await new ContractFactory(
        ['event Ping(uint256 value)'],
        pingerCode(),
        wallet,
      ).deploy()) as Contract
      await contract.waitForDeployment()
      await provider.on('block', (height: number) => void blocks.push(height))
      await contract.on('Ping', (value: bigint) => void values.push(value))
      // What watching begins with is asked before this.
      await provider.getBlockNumber()
      await new Promise((resolve) => setTimeout(resolve, 300))
      for (const value of [7n, 8n]) {
        const data = `0x${value.toString(16).padStart(64, '0')}`
        const sent = await wallet.sendTransaction({ to: await contract.getAddress(), data })
        expect((await sent.wait())?.status).toBe(1)
      }
      await until(() => values.length === 2, 'two events')
      expect(values).toEqual([7n, 8n])
      const target = Wallet.createRandom().address
      await (await wallet.sendTransaction({ to: target, value: parseEther('1') })).wait()
      expect(await provider.getBalance(target)).toBe(parseEther('1'))
      await until(() => blocks.length >= 3, 'blocks')
      expect(blocks).toEqual([...blocks].sort((a, b) => a - b))
      await contract.removeAllListeners()
      await provider.removeAllListeners()
      // What it has asked for in closing is answered before this.
      await provider.getBlockNumber()
      await new Promise((resolve) => setTimeout(resolve, 100))
    } finally {
      provider.destroy()
    }
  })
})
