import { keccak_256 } from '@noble/hashes/sha3.js'
import type { L1File, RecordedNetwork } from '../recorded/recorded-network.ts'
import { blockReference, bytesText, decodeParams, plainUint64 } from './evm-arguments.ts'
import type { EvmChain } from './evm-chain.ts'
import { EvmError, type EvmMethods } from './evm-rpc.ts'
import { checkRawTransaction, type PoolView } from './raw-transaction.ts'

function keccak(hex: string): string {
  return `0x${Buffer.from(keccak_256(Buffer.from(hex.slice(2), 'hex'))).toString('hex')}`
}

const seconds = (time: string): number => Math.floor(Date.parse(time) / 1000)

const ETH_FORKS = [
  ...['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg', 'istanbul'],
  ...['muirGlacier', 'berlin', 'london', 'daoFork'],
]

/** The C-chain's configuration follows from the network's upgrades. */
function chainConfig(network: RecordedNetwork): string {
  const config: Record<string, number | boolean> = { chainId: network.evmChainId, daoForkSupport: true }
  for (const fork of ETH_FORKS) config[`${fork}Block`] = 0
  for (const [name, value] of Object.entries(network.upgrades as Record<string, unknown>)) {
    const upgrade = /^(apricot.*|banff|cortina|durango|etna|fortuna|granite|helicon)Time$/.exec(name)?.[1]
    if (upgrade === undefined || typeof value !== 'string') continue
    const late = ['etna', 'fortuna', 'granite', 'helicon'].includes(upgrade)
    config[late ? `${upgrade}Timestamp` : `${upgrade}BlockTimestamp`] = seconds(value)
    if (upgrade === 'durango') config['shanghaiTime'] = seconds(value)
    if (upgrade === 'etna') config['cancunTime'] = seconds(value)
  }
  return JSON.stringify(Object.fromEntries(Object.entries(config).sort(([a], [b]) => (a < b ? -1 : 1))))
}

interface Common {
  chain: EvmChain
  chainId: number
  version: string
  config: string
  issued(bytes: string): void
  /** What the pool judges by at the tip. */
  pool(): PoolView
}

/** Takes no arguments. */
export const none =
  (answer: () => string) =>
  (params: readonly string[]): string => {
    decodeParams(params, [], 0)
    return answer()
  }

function poolMethods({ issued, pool }: Common): EvmMethods {
  const sent = new Set<string>()
  return {
    eth_pendingTransactions: none(() => '[]'),
    eth_getBadBlocks: none(() => '[]'),
    txpool_content: () => '{"pending":{},"queued":{}}',
    txpool_status: () => '{"pending":"0x0","queued":"0x0"}',
    eth_sendRawTransaction(params) {
      const bytes = decodeParams(params, [bytesText], 1)[0] ?? '0x'
      const id = checkRawTransaction(bytes, pool())
      if (sent.has(id)) throw new EvmError(-32000, 'already known')
      sent.add(id)
      issued(bytes)
      return JSON.stringify(id)
    },
  }
}

/** Identity and configuration of an EVM chain, and its pool. */
export function evmNetworkMethods(common: Common): EvmMethods {
  const { chain, chainId, version, config } = common
  return {
    ...poolMethods(common),
    eth_chainId: none(() => `"0x${chainId.toString(16)}"`),
    net_version: none(() => `"${chainId}"`),
    net_listening: none(() => 'true'),
    net_peerCount: none(() => '"0x0"'),
    web3_clientVersion: none(() => JSON.stringify(version)),
    web3_sha3: (params) => JSON.stringify(keccak(decodeParams(params, [bytesText], 1)[0] ?? '0x')),
    rpc_modules: none(
      () => '{"debug":"1.0","eth":"1.0","net":"1.0","rpc":"1.0","txpool":"1.0","warp":"1.0","web3":"1.0"}',
    ),
    eth_syncing: none(() => 'false'),
    eth_accounts: none(() => '[]'),
    eth_coinbase: none(() => JSON.stringify(chain.at(chain.tip()).block.miner)),
    eth_etherbase: none(() => JSON.stringify(chain.at(chain.tip()).block.miner)),
    eth_getChainConfig: none(() => config),
  }
}

export function cChainConfig(network: RecordedNetwork): string {
  return chainConfig(network)
}

interface Rules {
  ethRules: Record<string, unknown>
  avalancheRules: Record<string, unknown>
  precompiles: Record<string, { timestamp: number }>
}

const RULE_TIMES: Record<string, string> = {
  IsShanghai: 'shanghaiTime',
  IsCancun: 'cancunTime',
  IsPrague: 'pragueTime',
  IsDurango: 'durangoTimestamp',
  IsEtna: 'etnaTimestamp',
  IsFortuna: 'fortunaTimestamp',
  IsGranite: 'graniteTimestamp',
  IsHelicon: 'heliconTimestamp',
}

/** What only an L1 answers: its fee rules, and which rules and precompiles hold at a time (unix seconds). */
export function evmL1Methods(l1: L1File, chain: EvmChain): EvmMethods {
  const config = l1.config as Record<string, unknown>
  const time = (params: readonly string[]): bigint =>
    decodeParams(params, [plainUint64], 0)[0] ?? BigInt(chain.at(chain.tip()).block.timestamp)
  const active = (name: string, at: bigint): boolean => {
    const since = config[name]
    return typeof since === 'number' && BigInt(since) <= at
  }
  const flags = (rules: Record<string, unknown>, at: bigint): object =>
    Object.fromEntries(
      Object.entries(rules).map(([name, value]) => {
        const since = RULE_TIMES[name]
        return [name, since === undefined ? value : active(since, at)]
      }),
    )
  const precompiles = (at: bigint): [string, { blockTimestamp: number }][] =>
    Object.entries(config).flatMap(([name, value]) => {
      const since = (value as { blockTimestamp?: number } | null)?.blockTimestamp
      return since !== undefined && BigInt(since) <= at ? [[name, value as { blockTimestamp: number }]] : []
    })
  return {
    eth_feeConfig(params) {
      const [reference] = decodeParams(params, [blockReference], 0)
      if (params.length > 0 && chain.resolve(reference) === undefined) {
        throw new EvmError(-32000, 'header for hash not found')
      }
      return JSON.stringify(l1.feeConfig)
    },
    eth_getActiveRulesAt(params) {
      const at = time(params)
      const rules = l1.rules as Rules
      const compiled = precompiles(at).map(([name, { blockTimestamp }]) => [name, { timestamp: blockTimestamp }])
      return JSON.stringify({
        ethRules: flags(rules.ethRules, at),
        avalancheRules: flags(rules.avalancheRules, at),
        precompiles: Object.fromEntries(compiled),
      })
    },
    eth_getActivePrecompilesAt: (params) => JSON.stringify(Object.fromEntries(precompiles(time(params)))),
  }
}
