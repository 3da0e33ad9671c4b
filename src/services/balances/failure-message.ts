import type { NetworkType } from '../../chains/capabilities.ts'
import {
  BadAnswerError,
  ChainNotRunError,
  DeadlineError,
  FirnError,
  JsonRpcError,
  UnsettledReadError,
  UpstreamRateLimitedError,
  UpstreamRefusedError,
  UpstreamUnavailableError,
} from '../../errors.ts'
import { StoreUnavailableError } from '../../store/index.ts'

/** Operation that precedes the cause of an error, as wallets know it (`[getEvmBalances] unsupported chain id: 143`). */
const OPERATIONS: Record<NetworkType, string> = {
  evm: 'getEvmBalances',
  btc: 'getBtcBalances',
  svm: 'getSvmBalances',
  avm: 'getAvmBalances',
  pvm: 'getPvmBalances',
  coreth: 'getCorethBalances',
}

export const unsupportedMessage = (networkType: NetworkType, chainId: string): string =>
  `[${OPERATIONS[networkType]}] unsupported chain id: ${chainId}`

/** The balance spec requires a non-empty id on every success, and accepts any id in a request. */
export const namelessMessage = (networkType: NetworkType): string =>
  `[${OPERATIONS[networkType]}] the id of the wallet is empty`

/**
 * Text of a handled error. The words `Rate limit exceeded` appear only when true, because wallets then keep their
 * cached values instead of asking elsewhere. Hosts, URLs and internals stay in the log.
 */
export function failureMessage(networkType: NetworkType, error: Error, time: FailureTime): string {
  return `[${OPERATIONS[networkType]}] ${cause(error, time)}`
}

/** Milliseconds. */
export interface FailureTime {
  /** Time that upstreams get for a chain. */
  deadlineMs: number
  /** Time that the read had taken when it failed. */
  afterMs: number
}

/** A part of a read may have had less time, because it joined a read that began earlier. */
const SHORTER = 0.9

/** Milliseconds. */
const STEP = 100

/** Rounded, and never 0: wallets also compare texts. */
const timeTaken = ({ deadlineMs, afterMs }: FailureTime): number =>
  afterMs >= deadlineMs * SHORTER ? deadlineMs : Math.min(deadlineMs, Math.max(1, Math.ceil(afterMs / STEP)) * STEP)

function cause(error: Error, time: FailureTime): string {
  if (error instanceof UpstreamRateLimitedError) return 'Rate limit exceeded'
  // Its own text names the upstreams.
  if (error instanceof DeadlineError) return `timed out after ${timeTaken(time)} ms`
  if (error instanceof UnsettledReadError)
    return 'the chain moved during every reading, or no one upstream told all of it'
  if (error instanceof ChainNotRunError) return 'no upstream runs the chain that coins were exported from'
  if (error instanceof UpstreamUnavailableError) return 'no upstream of the chain could be reached'
  if (error instanceof StoreUnavailableError) return 'the own index cannot be read'
  if (error instanceof BadAnswerError) return 'the upstream sent an invalid answer'
  if (error instanceof JsonRpcError) return `the upstream refused the read (code ${error.rpcCode})`
  if (error instanceof UpstreamRefusedError) return `the upstream refused the read (status ${error.upstreamStatus})`
  if (error instanceof FirnError && error.expose) return error.message
  return 'internal error'
}
