import type { NetworkType } from '../../chains/capabilities.ts'
import {
  BadAnswerError,
  DeadlineError,
  FirnError,
  JsonRpcError,
  UpstreamRateLimitedError,
  UpstreamUnavailableError,
} from '../../errors.ts'

/** Operation named in front of an error's cause, as wallets know it (`[getEvmBalances] unsupported chain id: 143`). */
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

/**
 * Text of a handled error. The words `Rate limit exceeded` appear only when true, because wallets then keep their
 * cached values instead of asking elsewhere. Hosts, URLs and internals stay in the log.
 */
export function failureMessage(networkType: NetworkType, error: Error, deadlineMs: number): string {
  return `[${OPERATIONS[networkType]}] ${cause(error, deadlineMs)}`
}

function cause(error: Error, deadlineMs: number): string {
  if (error instanceof UpstreamRateLimitedError) return 'Rate limit exceeded'
  // Its own text names the upstreams that were waited for.
  if (error instanceof DeadlineError) return `timed out after ${deadlineMs} ms`
  if (error instanceof UpstreamUnavailableError) return 'no upstream of the chain could be reached'
  if (error instanceof BadAnswerError) return 'the upstream sent an invalid answer'
  if (error instanceof JsonRpcError) return `the upstream refused the read (code ${error.rpcCode})`
  if (error instanceof FirnError && error.expose) return error.message
  return 'internal error'
}
