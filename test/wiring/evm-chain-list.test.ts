import { expect, it } from 'vitest'
import { type Config, loadConfig } from '../../src/config/index.ts'
import { createEvmChainList } from '../../src/wiring/evm-chain-list.ts'

/** What strangers are told of an endpoint. */
function rpcUrlOf(settings: Record<string, unknown>): string | undefined {
  const flags = Object.entries({ 'index-enabled': true, 'index-streams': 'eip155:7', ...settings })
  const argv = flags.map(([name, value]) => `--${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  const loaded = loadConfig({ argv, env: {}, cwd: '/nowhere' })
  if (loaded.action !== 'run') throw new Error(loaded.text)
  const config: Config = loaded.config
  return createEvmChainList(config, { pools: [], networks: {} }).list()[0]?.rpcUrl
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
])('%s is shown as %s', (url, shown) => {
  expect(rpcUrlOf(evm(url))).toBe(shown)
})

it('a C-chain without an endpoint of its own is reached through its node', () => {
  const chains = {
    'index-streams': 'testnet:C',
    'chains-catalogue': 'false',
    'chains-avalanche-testnet': { name: 'Own', evmChainId: 43113, upstreams: [{ url: 'https://node.example/key' }] },
  }
  expect(rpcUrlOf(chains)).toBe('https://node.example/ext/bc/C/rpc')
})
