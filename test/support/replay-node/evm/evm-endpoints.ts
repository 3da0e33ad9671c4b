import type { NodeContext } from '../node-context.ts'
import { evmBlockMethods, rawTransactionMethod } from './evm-block-methods.ts'
import { createEvmChain, type EvmChain } from './evm-chain.ts'
import { evmFeeMethods } from './evm-fee-methods.ts'
import { evmLogMethods } from './evm-log-methods.ts'
import { cChainConfig, evmL1Methods, evmNetworkMethods } from './evm-network-methods.ts'
import type { EvmMethods } from './evm-rpc.ts'
import { createEvmState } from './evm-state.ts'
import { evmExecutionMethods, evmStateMethods } from './evm-state-methods.ts'
import { createEvmTraces, evmTraceMethods } from './evm-traces.ts'
import type { PoolView } from './raw-transaction.ts'
import { createRecordedCalls } from './recorded-calls.ts'

/** Methods a node knows but that only recorded facts can answer. */
const RECORDED_ONLY = [
  ...['warp_getMessage', 'debug_traceCall', 'debug_getRawHeader', 'debug_getRawBlock', 'debug_getRawReceipts'],
]

export interface EvmEndpoint {
  chain: EvmChain
  methods: EvmMethods
}

interface NativeLine {
  t: string
  what?: string
  address?: string
  balance?: string
}

function nativeBalances(context: NodeContext, file: string): (account: string) => bigint | undefined {
  let loaded: Map<string, bigint> | undefined
  return (account) => {
    if (loaded === undefined) {
      loaded = new Map()
      for (const text of context.recordings.lines(file)) {
        const line = JSON.parse(text) as NativeLine
        if (line.t !== 'final' || line.what !== 'native') continue
        loaded.set((line.address ?? '').toLowerCase(), BigInt(line.balance ?? 0))
      }
    }
    return loaded.get(account)
  }
}

/** The C-chain, or the L1 when there is one. */
export function createEvmEndpoint(
  context: NodeContext,
  name: 'C' | 'L1',
  notRecorded: () => never,
): EvmEndpoint | undefined {
  const { recordings, tips, network } = context
  const l1 = network.l1
  if (name === 'L1' && l1 === undefined) return undefined
  const chain = createEvmChain(recordings, tips, name)
  const manifest = `${name === 'C' ? 'network' : 'l1'}/manifest-evm.ndjson.gz`
  const traces = createEvmTraces(recordings)
  const state = name === 'C' && traces.recorded ? createEvmState(recordings, traces, network.avaxAssetID) : undefined
  const version = network.nodeVersion.vmVersions['evm'] ?? ''
  const ids =
    name === 'L1' && l1 !== undefined
      ? { chainId: l1.chainId, config: JSON.stringify(l1.config) }
      : { chainId: network.evmChainId, config: cChainConfig(network) }
  const calls = createRecordedCalls(recordings, manifest)
  const finalBalance = nativeBalances(context, manifest)
  const pool = (): PoolView => {
    const tip = chain.tip()
    const { gasLimit, baseFeePerGas } = chain.at(tip).block
    return {
      chainId: ids.chainId,
      gasLimit: BigInt(gasLimit),
      minimumFee: BigInt(baseFeePerGas ?? 0),
      balance: (account) => state?.balance(account, tip) ?? finalBalance(account) ?? 0n,
      nonce: (account) => state?.nonce(account, tip) ?? 0n,
    }
  }
  const common = { chain, version, pool, issued: (bytes: string) => context.issued(name, bytes) }
  return {
    chain,
    methods: {
      ...Object.fromEntries(RECORDED_ONLY.map((method) => [method, notRecorded])),
      ...evmExecutionMethods(chain, notRecorded),
      ...evmBlockMethods(chain),
      ...evmLogMethods(chain),
      ...evmFeeMethods(chain, name),
      ...evmNetworkMethods({ ...common, ...ids }),
      ...evmStateMethods({ chain, state, calls, finalBalance }),
      ...(name === 'C'
        ? { ...evmTraceMethods(chain, traces), debug_getRawTransaction: rawTransactionMethod(chain) }
        : {}),
      ...(name === 'L1' && l1 !== undefined ? evmL1Methods(l1, chain) : {}),
    },
  }
}
