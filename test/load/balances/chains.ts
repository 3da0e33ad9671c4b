import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { address, networks, payments } from 'bitcoinjs-lib'
import { startSandboxAvalanche } from '../../sandbox/avalanche-network.ts'
import { startBitcoinChain } from '../../sandbox/bitcoin-chain.ts'
import { startSandboxEvm } from '../../sandbox/evm-chain.ts'
import { SANDBOX_REFERENCES } from '../../sandbox/settings.ts'
import { startSolanaChain } from '../../sandbox/solana-chain.ts'
import { type Recorder, startRecorder } from './recorder.ts'

const P = 'Sj7NVE3jXTbJvwFAiu7OEUo_8g8ctXMG'
const X = '8AJTpRj3SAqv1e80Mtl9em08LhvKEbkl'
const C = 'YRLfeDBJpfEqUWe2FYR1OpXsnDDZeKWd'

export interface Latencies {
  fast: number
  slow: number
  /** Everybody else. */
  middle: number
}

/** Chains of every family behind recorders, and the configuration of a server in front of them. */
export interface Chains {
  configFile: string
  fast: Recorder
  slow: Recorder
  /** What a wallet asks for, and how many items answer it. A `fresh` body has a Bitcoin address nobody asked for yet. */
  body(options?: { fresh?: boolean }): { text: string; items: number }
  /** From now on every upstream answers at once. */
  hurry(): void
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
    startRecorder(fastEvm.url, latencies.fast),
    startRecorder(slowEvm.url, latencies.slow),
    startRecorder(bitcoin.esploraUrl, latencies.middle),
    startRecorder(solana.url, latencies.middle),
    startRecorder(avalanche.url, latencies.middle),
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
    // A late answer is not asked for twice: the latency is meant.
    upstream: { hedgeMinMs: 0 },
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
  const known = bitcoin.accounts.bob.addresses.testnet
  let made = 0
  return {
    configFile,
    fast,
    slow,
    body({ fresh = false } = {}) {
      const data = [
        { namespace: 'eip155', references: ['31337', '31338'], addresses: fastEvm.accounts.slice(0, 3) },
        {
          namespace: 'bip122',
          references: [SANDBOX_REFERENCES.bitcoin],
          addresses: [fresh ? bitcoinAddress(++made) : known],
        },
        { namespace: 'solana', references: [SANDBOX_REFERENCES.solana], addresses: [solana.owners.alice] },
        { namespace: 'avax', references: [P, X], addressDetails: wallets },
        { namespace: 'avax', references: [C], addressDetails: wallets },
      ]
      return {
        text: JSON.stringify({ data, currency: 'eur', showUntrustedTokens: true }),
        items: 2 * 3 + 1 + 1 + 3 * 3,
      }
    },
    hurry() {
      for (const recorder of recorders) recorder.latencyMs = 0
    },
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

/** The address of a key hash that nobody owns. */
const bitcoinAddress = (n: number): string => {
  const hash = Buffer.alloc(20)
  hash.writeUInt32BE(n)
  const { output } = payments.p2wpkh({ hash })
  return address.fromOutputScript(output as Uint8Array, networks.testnet)
}
