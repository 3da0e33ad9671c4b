import type { RecordedEvmBlock } from '../support/evm/recorded-evm.ts'
import { FIXTURES } from '../support/recorded/recordings.ts'
import { createEvmState } from '../support/replay-node/evm/evm-state.ts'
import { createEvmTraces } from '../support/replay-node/evm/evm-traces.ts'
import { type ReplayNode, startReplayNode } from '../support/replay-node/index.ts'
import { openRecordings, type Recordings } from '../support/replay-node/recorded/recordings.ts'
import type { RunningChain } from '../support/replay-node/running-chain.ts'
import { l1Balances, l1Genesis } from './l1-balances.ts'
import { type RecordedEvmChain, startRecordedEvmChain } from './recorded-evm-chain.ts'
import { prefixOf, recordedWallets, type SandboxWallet } from './recorded-wallets.ts'
import { toldBalances } from './told-balances.ts'

export type { Holding, SandboxWallet } from './recorded-wallets.ts'

export interface SandboxAvalanche {
  /** Base URL of the node, without a slash at the end. */
  url: string
  node: ReplayNode
  networkName: string
  /** Which of the two networks of the API it stands in for: mainnet's ID makes it mainnet, everything else is a testnet. */
  side: 'mainnet' | 'testnet'
  /** Prefix of its addresses. */
  hrp: string | undefined
  /** Chain id of the recorded C-chain, and an endpoint that also answers reads of its contracts. */
  evmChainId: number
  cChainUrl: string
  /** The recorded L1, with such an endpoint of its own; undefined when there is none. */
  l1: { url: string; chainId: number; blockchainID: string } | undefined
  /** Every address that owns something; the first ones together show every kind of holding. */
  wallets: SandboxWallet[]
  stop(): Promise<void>
}

/** ID of the main network, as recorded. */
const MAINNET_ID = '1'

interface NetworkFile {
  networkID: string
  networkName: string
  evmChainId: number
  avaxAssetID: string
  keys?: Record<string, { address: string; evmAddress: string }>
}

interface L1File {
  blockchainID: string
  chainId: number
}

/**
 * Serves a recorded network (default: the fixtures) as the sandbox's Avalanche node and says which of its addresses
 * are worth looking at. Rejects when the folder holds no recordings.
 */
export async function startSandboxAvalanche(options: { recordings?: string } = {}): Promise<SandboxAvalanche> {
  const folder = options.recordings ?? FIXTURES
  const recordings = openRecordings(folder)
  const network = recordings.json<NetworkFile>('network/network.json')
  const wallets = recordedWallets(recordings, network)
  const l1 = recordings.has('l1/l1.json') ? recordings.json<L1File>('l1/l1.json') : undefined
  // The chain is made of what the node tells, and the node asks it for what nobody recorded.
  const running: Partial<Record<'C' | 'L1', RunningChain>> = {}
  const node = await startReplayNode({
    recordings: folder,
    running: async (chain, method, params) => running[chain]?.(method, params),
  })
  const replayUrl = `${node.url}/ext/bc/C/rpc`
  const cChain = await startRecordedEvmChain({
    replayUrl,
    chainId: network.evmChainId,
    blocks: () => blocksIn(recordings, 'network/c-blocks.ndjson.gz'),
    tellsAccounts: false,
    // Imports from other chains are no EVM transactions.
    balances: async (_, recorded) =>
      toldBalances(
        replayUrl,
        recorded,
        createEvmState(recordings, createEvmTraces(recordings), network.avaxAssetID).owners(),
      ),
  })
  running.C = cChain.running
  const l1Chain = l1 && (await startL1(recordings, node.url, l1))
  if (l1Chain) running.L1 = l1Chain.running
  return {
    url: node.url,
    node,
    networkName: network.networkName,
    side: network.networkID === MAINNET_ID ? 'mainnet' : 'testnet',
    hrp: prefixOf(wallets),
    evmChainId: network.evmChainId,
    cChainUrl: cChain.url,
    l1: l1 && l1Chain && { url: l1Chain.url, chainId: l1.chainId, blockchainID: l1.blockchainID },
    wallets,
    stop: async () => {
      await l1Chain?.stop()
      await cChain.stop()
      await node.stop()
    },
  }
}

const startL1 = (
  recordings: Recordings,
  nodeUrl: string,
  { blockchainID, chainId }: L1File,
): Promise<RecordedEvmChain> =>
  startRecordedEvmChain({
    replayUrl: `${nodeUrl}/ext/bc/${blockchainID}/rpc`,
    chainId,
    blocks: () => blocksIn(recordings, 'l1/l1-blocks.ndjson.gz'),
    tellsAccounts: true,
    balances: (rebuilt, recorded) => l1Balances(rebuilt, recorded, l1Genesis(recordings, blockchainID)),
  })

const blocksIn = (recordings: Recordings, file: string): RecordedEvmBlock[] =>
  [...recordings.lines(file)].map((line) => JSON.parse(line) as RecordedEvmBlock)
