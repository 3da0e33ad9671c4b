import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BitcoinChain } from './bitcoin-chain.ts'
import type { SandboxEvm } from './evm-chain.ts'
import type { SolanaChain } from './solana-chain.ts'

/** The local chains that stand in for the real networks. */
export interface SandboxChains {
  evm: SandboxEvm
  bitcoin: BitcoinChain
  solana: SolanaChain
  /** A replayed Avalanche node, `http://127.0.0.1:<port>`. */
  avalancheUrl: string
  /** What it stands in for, and the prefix of its addresses. */
  side: 'mainnet' | 'testnet'
  hrp?: string | undefined
  /** EVM chain id of its C-chain, and an endpoint that also answers reads of contracts. */
  cChainId: number
  cChainUrl: string
  /** Its genesis, in the node's own format, if it was recorded. */
  genesisFile?: string | undefined
  /** The L1 that it validates, if it was recorded. */
  l1?: { url: string; chainId: number; blockchainID: string } | undefined
  /** Where metadata of ipfs and arweave comes from, `http://127.0.0.1:<port>`. */
  gatewayUrl: string
}

const BITCOIN_TESTNET = '000000000933ea01ad0ee984209779ba'
const SOLANA_DEVNET = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1'

/** Round numbers, so that a person can check the values in their head. */
const prices = (chains: SandboxChains) => ({
  about: 'Prices of the sandbox; not of this world.',
  rates: {
    eur: 0.5,
    aud: 1.5,
    cad: 1.25,
    chf: 0.8,
    clp: 900,
    czk: 20,
    dkk: 7,
    gbp: 0.75,
    hkd: 8,
    huf: 350,
    brl: 5,
    mxn: 16,
  },
  natives: {
    'NATIVE-avax': { usd: 20, changePercent24h: 25 },
    'NATIVE-eth': { usd: 2000, changePercent24h: -20 },
    'NATIVE-btc': { usd: 100000, changePercent24h: 0 },
    'NATIVE-sol': { usd: 100, changePercent24h: 10 },
    'avalanche-2': { usd: 20, changePercent24h: 25 },
    ethereum: { usd: 2000, changePercent24h: -20 },
    bitcoin: { usd: 100000, changePercent24h: 0 },
    solana: { usd: 100, changePercent24h: 10 },
  },
  tokens: {
    [chains.evm.caip2Id]: { [chains.evm.tokens.usdl]: 1, [chains.evm.tokens.lab]: { usd: 3, changePercent24h: 50 } },
    [`solana:${SOLANA_DEVNET}`]: { [chains.solana.mints.listed]: 0.5 },
  },
})

/** Writes the configuration and what it points to into `folder`; the server reads it like an operator's own. */
export function writeSandboxSettings(folder: string, chains: SandboxChains): void {
  const file = (name: string, content: unknown): string => {
    const path = join(folder, name)
    writeFileSync(path, JSON.stringify(content, null, 2))
    return path
  }
  const { evm, bitcoin, solana } = chains
  file('firn.config.json', {
    dataDir: join(folder, 'data'),
    market: { prices: { provider: 'file', file: file('prices.json', prices(chains)) }, defaultTokenLists: [] },
    log: { level: 'warn' },
    // The chains live in this process, too: the time that they take is no load of the server.
    http: { maxEventLoopDelayMs: 0 },
    data: {
      nftMetadata: {
        ipfsGateway: `${chains.gatewayUrl}/ipfs/`,
        arweaveGateway: `${chains.gatewayUrl}/ar/`,
        allowedAddresses: [new URL(chains.gatewayUrl).host],
      },
    },
    index: {
      enabled: true,
      streams: [
        `${chains.side}:P`,
        `${chains.side}:X`,
        `${chains.side}:C`,
        `eip155:${evm.chainId}`,
        ...(chains.l1 ? [`eip155:${chains.l1.chainId}`] : []),
      ],
    },
    chains: {
      catalogue: false,
      evm: {
        [evm.chainId]: {
          name: 'Sandbox EVM',
          testnet: true,
          upstreams: [{ url: evm.url }],
          native: { name: 'ETH', symbol: 'ETH', decimals: 18, internalId: 'NATIVE-eth', priceId: 'ethereum' },
          blockTimeMs: 1_000,
          multicall: evm.multicall,
          tokenLists: [file('evm-tokens.json', evm.tokenList)],
        },
        ...recordedEvm(chains),
      },
      bitcoin: {
        [BITCOIN_TESTNET]: {
          name: 'Sandbox Bitcoin',
          network: 'regtest',
          upstreams: [
            { url: bitcoin.esploraUrl, kind: 'esplora' },
            { url: bitcoin.electrumUrl, kind: 'electrum' },
          ],
        },
      },
      solana: {
        [SOLANA_DEVNET]: {
          name: 'Sandbox Solana',
          upstreams: [{ url: solana.url }],
          tokenLists: [file('solana-tokens.json', solanaTokenList(solana))],
        },
      },
      avalanche: {
        [chains.side]: {
          name: 'Recorded network',
          ...(chains.hrp === undefined ? {} : { hrp: chains.hrp }),
          evmChainId: chains.cChainId,
          ...(chains.genesisFile === undefined ? {} : { genesisFile: chains.genesisFile }),
          upstreams: [{ url: chains.avalancheUrl, requestsPerSecond: 2_000 }],
        },
      },
    },
  })
}

/** The recorded EVM chains; reads of contracts run on the recorded transactions once more. */
function recordedEvm({ cChainUrl, cChainId, side, l1 }: SandboxChains): Record<string, unknown> {
  const avax = { name: 'Avalanche', symbol: 'AVAX', decimals: 18, internalId: 'NATIVE-avax', priceId: 'avalanche-2' }
  const chain = (name: string, url: string, native: object) => ({
    name,
    testnet: side === 'testnet',
    upstreams: [{ url, requestsPerSecond: 2_000 }],
    native,
    blockTimeMs: 2_000,
  })
  return {
    [cChainId]: chain('Recorded C-Chain', cChainUrl, avax),
    // Its coin is nobody else's, and has no price.
    ...(l1
      ? {
          [l1.chainId]: {
            ...chain('Recorded L1', l1.url, { name: 'Coin of the recorded L1', symbol: 'COIN' }),
            blockchainId: l1.blockchainID,
          },
        }
      : {}),
  }
}

const solanaTokenList = (solana: SolanaChain) => ({
  name: 'Sandbox mints',
  timestamp: '2026-01-01T00:00:00.000Z',
  version: { major: 1, minor: 0, patch: 0 },
  tokens: [{ chainId: 103, address: solana.mints.listed, name: 'Listed Coin', symbol: 'LIST', decimals: 6 }],
})

export const SANDBOX_REFERENCES = { bitcoin: BITCOIN_TESTNET, solana: SOLANA_DEVNET }
