import { expect, it, onTestFinished, vi } from 'vitest'
import { type Config, loadConfig } from '../../../src/config/index.ts'
import { idToCb58 } from '../../../src/lib/bytes/ids.ts'
import type { IndexReader } from '../../../src/store/index.ts'
import { createEvmChainList } from '../../../src/wiring/indexed/evm-chain-list.ts'
import { createEvmStreams } from '../../../src/wiring/indexed/evm-streams.ts'

/** What strangers are told of an endpoint. */
async function rpcUrlOf(settings: Record<string, unknown>): Promise<string | undefined> {
  const config = configOf(settings)
  return (await createEvmChainList(config, NOTHING, createEvmStreams(config)).list())[0]?.rpcUrl
}

const NOTHING = { pools: [], networks: {}, known: () => undefined }

function configOf(settings: Record<string, unknown>): Config {
  const flags = Object.entries({ 'index-enabled': true, 'index-streams': 'eip155:7', ...settings })
  const argv = flags.map(([name, value]) => `--${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  const loaded = loadConfig({ argv, env: {}, cwd: '/nowhere' })
  if (loaded.action !== 'run') throw new Error(loaded.text)
  return loaded.config
}

const evm = (url: string) => ({
  'chains-evm': {
    7: { name: 'Seven', upstreams: [{ url }], native: { name: 'S', symbol: 'S', decimals: 18 }, blockTimeMs: 1000 },
  },
})

it.each([
  ['http://node.example/ext/bc/C/rpc', 'http://node.example/ext/bc/C/rpc'],
  ['https://subnets.avax.network/some/mainnet/rpc', 'https://subnets.avax.network/some/mainnet/rpc'],
  ['https://user:pass@node.example/ext/bc/C/rpc?token=secret', 'https://node.example/ext/bc/C/rpc'],
  ['https://paid.example/v3/0123456789abcdef0123456789abcdef', 'https://paid.example'],
  ['https://paid.example/0123456789abcdef/ext/bc/C/rpc', 'https://paid.example'],
])('%s is shown as %s', async (url, shown) => {
  expect(await rpcUrlOf(evm(url))).toBe(shown)
})

it('addresses have the case of their checksum, however they were written in the settings', async () => {
  const { 7: seven } = evm('http://node.example/ext/bc/C/rpc')['chains-evm']
  const multicall = '0xca11bde05977b3631167028862be2a173976ca11'
  const config = configOf({ 'chains-evm': { 7: { ...seven, multicall } } })
  const [shown] = await createEvmChainList(config, NOTHING, createEvmStreams(config)).list()
  expect(shown?.utilityAddresses).toEqual({ multicall: '0xcA11bde05977b3631167028862bE2a173976CA11' })
})

it('a C-chain without an endpoint of its own is reached through its node', async () => {
  const chains = {
    'index-streams': 'testnet:C',
    'chains-catalogue': 'false',
    'chains-avalanche-testnet': { name: 'Own', evmChainId: 43113, upstreams: [{ url: 'https://node.example/key' }] },
  }
  expect(await rpcUrlOf(chains)).toBe('https://node.example/ext/bc/C/rpc')
})

it('a C-chain has the id that its node said, as soon as the index knows it, and is not asked for any more', async () => {
  const config = configOf({
    'index-streams': 'testnet:C',
    'chains-catalogue': 'false',
    'chains-avalanche-testnet': { name: 'Own', upstreams: [{ url: 'https://node.example' }] },
  })
  let said = new Map<string, bigint>()
  let reads = 0
  const streams = createEvmStreams(config, async () => {
    reads += 1
    return said
  })
  const list = createEvmChainList(config, NOTHING, streams)
  expect((await list.list()).map(({ chainId }) => chainId)).toEqual(['43113'])
  said = new Map([['testnet:C', 54_321n]])
  expect((await list.list()).map(({ chainId }) => chainId)).toEqual(['54321'])
  expect([...(await list.streams())]).toEqual([['54321', 'testnet:C']])
  expect(reads).toBe(2)
  const other = createEvmStreams(config, async () => {
    throw new Error('the database is away')
  })
  await expect(other()).rejects.toThrow('the database is away')
})

it.each(['mainnet', 'testnet'])(
  'a C-chain is of the kind of its network, %s, whatever its settings as an EVM chain say',
  async (side) => {
    const config = configOf({
      'index-streams': `${side}:C`,
      'chains-catalogue': 'false',
      [`chains-avalanche-${side}`]: { name: 'Own', evmChainId: 7, upstreams: [{ url: 'https://node.example' }] },
      ...evm('https://node.example/ext/bc/C/rpc'),
    })
    const [chain] = await createEvmChainList(config, NOTHING, createEvmStreams(config)).list()
    expect(chain).toMatchObject({ chainId: '7', isTestnet: side === 'testnet' })
  },
)

it('what P does not know yet of a chain is asked for again some seconds later, and what it knows is not', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { 7: seven } = evm('http://node.example/ext/bc/C/rpc')['chains-evm']
  const blockchainId = idToCb58('c'.repeat(64))
  const config = configOf({ 'chains-evm': { 7: { ...seven, blockchainId } } })
  const [subnetId, vmId] = ['a'.repeat(64), 'b'.repeat(64)]
  const answers = [undefined, { subnetId, vmId }]
  let asked = 0
  const blockchains = { find: async () => answers[asked++] } as unknown as IndexReader['blockchains']
  const { list } = createEvmChainList(config, { ...NOTHING, blockchains }, createEvmStreams(config))
  const subnetOf = async () => (await list())[0]?.subnetId
  expect([await subnetOf(), await subnetOf(), asked]).toEqual([undefined, undefined, 1])
  vi.advanceTimersByTime(5_000)
  const known = idToCb58(subnetId)
  expect(await subnetOf()).toBe(known)
  vi.advanceTimersByTime(3_600_000)
  expect([await subnetOf(), asked]).toEqual([known, 2])
})
