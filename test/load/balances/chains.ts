import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSandboxAvalanche } from '../../sandbox/avalanche-network.ts'
import { startBitcoinChain } from '../../sandbox/bitcoin-chain.ts'
import { startSandboxEvm } from '../../sandbox/evm-chain.ts'
import { SANDBOX_REFERENCES } from '../../sandbox/settings.ts'
import { startSolanaChain } from '../../sandbox/solana-chain.ts'
import { startRecorder } from './recorder.ts'

export interface Latencies {
  fast: number
  slow: number
  /** Everybody else. */
  middle: number
  /** How long the upstreams keep idle connections; default a minute. */
  keepAliveMs?: number
}

/** What is to be known of the chains: plain data, for another process. */
export interface ChainFacts {
  /** Configuration of a server in front of them. */
  configFile: string
  fastUrl: string
  slowUrl: string
  /** The Avalanche node itself, without a recorder. */
  nodeUrl: string
  /** Everything that a server is configured to call. */
  upstreamUrls: string[]
  evmAddresses: string[]
  bitcoinAddress: string
  solanaAddress: string
  wallets: { id: string; addresses: string[] }[]
}

/** Chains of every family behind recorders. */
export interface Chains {
  facts: ChainFacts
  /** From now on every upstream answers at once. */
  hurry(): void
  /** With the set latencies again. */
  calm(): void
  /** From now on the slowest chain answers nobody, until `release`. */
  hold(): void
  release(): void
  stop(): Promise<void>
}

/** Two EVM chains, the fastest and the slowest of all, and Bitcoin, Solana and Avalanche between them. */
export async function startChains(latencies: Latencies): Promise<Chains> {
  const [fastEvm, slowEvm, bitcoin, solana, avalanche] = await Promise.all([
    startSandboxEvm({ chainId: 31_337 }),
    startSandboxEvm({ chainId: 31_338 }),
    startBitcoinChain(),
    startSolanaChain(),
    startSandboxAvalanche(),
  ])
  const [fast, slow, esplora, solanaRpc, node] = await Promise.all([
    startRecorder(fastEvm.url, latencies.fast, latencies.keepAliveMs),
    startRecorder(slowEvm.url, latencies.slow, latencies.keepAliveMs),
    startRecorder(bitcoin.esploraUrl, latencies.middle, latencies.keepAliveMs),
    startRecorder(solana.url, latencies.middle, latencies.keepAliveMs),
    startRecorder(avalanche.url, latencies.middle, latencies.keepAliveMs),
  ])
  const recorders = [fast, slow, esplora, solanaRpc, node]
  const folder = mkdtempSync(join(tmpdir(), 'firn-bench-'))
  const write = (name: string, content: unknown): string => {
    writeFileSync(join(folder, name), JSON.stringify(content))
    return join(folder, name)
  }
  const native = { name: 'Ether', symbol: 'ETH', decimals: 18 }
  const evm = Object.fromEntries(
    [[fastEvm, fast] as const, [slowEvm, slow] as const].map(([chain, { url }]) => [
      chain.chainId,
      {
        name: `EVM ${chain.chainId}`,
        upstreams: [{ url }],
        native: { ...native, internalId: 'NATIVE-eth' },
        blockTimeMs: 2_000,
        multicall: chain.multicall,
        tokenLists: [write(`${chain.chainId}.json`, chain.tokenList)],
      },
    ]),
  )
  const configFile = write('firn.config.json', {
    dataDir: join(folder, 'data'),
    log: { level: 'warn' },
    http: { port: 0 },
    // A late answer is not asked for twice: the latency is meant. Stubs have no limits that are to be kept.
    upstream: { hedgeMinMs: 0, requestsPerSecond: 10_000 },
    market: { prices: { provider: 'file', file: write('prices.json', PRICES) }, defaultTokenLists: [] },
    chains: {
      catalogue: false,
      evm,
      bitcoin: {
        [SANDBOX_REFERENCES.bitcoin]: {
          name: 'Bitcoin',
          network: 'regtest',
          upstreams: [{ url: esplora.url, kind: 'esplora' }],
        },
      },
      solana: { [SANDBOX_REFERENCES.solana]: { name: 'Solana', upstreams: [{ url: solanaRpc.url }] } },
      avalanche: { testnet: { name: 'Avalanche', upstreams: [{ url: node.url }] } },
    },
  })
  // Pages follow one another, and locked stakes need the validators: wallets that take one round trip show our own cost.
  const simple = avalanche.wallets.filter(({ has }) => !has.includes('more than one page') && !has.includes('staked'))
  const wallets = simple.slice(0, 3).map(({ address: own }) => ({ id: own, addresses: [own] }))
  return {
    facts: {
      configFile,
      fastUrl: fast.url,
      slowUrl: slow.url,
      nodeUrl: avalanche.url,
      upstreamUrls: [...recorders.map(({ url }) => url), avalanche.url],
      evmAddresses: fastEvm.accounts.slice(0, 3),
      bitcoinAddress: bitcoin.accounts.bob.addresses.testnet,
      solanaAddress: solana.owners.alice,
      wallets,
    },
    hurry() {
      for (const recorder of recorders) recorder.latencyMs = 0
    },
    calm() {
      for (const recorder of [esplora, solanaRpc, node]) recorder.latencyMs = latencies.middle
      fast.latencyMs = latencies.fast
      slow.latencyMs = latencies.slow
    },
    hold: slow.hold,
    release: slow.release,
    async stop() {
      await Promise.all(recorders.map((recorder) => recorder.stop()))
      await Promise.all([fastEvm.stop(), slowEvm.stop(), bitcoin.close(), solana.close(), avalanche.stop()])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const PRICES = {
  rates: { eur: 0.5 },
  natives: { 'NATIVE-avax': { usd: 20 }, 'NATIVE-eth': { usd: 2_000 }, 'NATIVE-btc': { usd: 100_000 } },
}
