const REASONS: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection cut',
  EPIPE: 'connection cut',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'host not found for now',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  UND_ERR_SOCKET: 'connection cut',
  UND_ERR_CONNECT_TIMEOUT: 'connect timeout',
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
  UND_ERR_BODY_TIMEOUT: 'answer stalled',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'answer cut',
}

/** Why a connection or a request failed. By codes only: messages of network errors may quote addresses. */
export function networkReason(error: unknown): { code: string; reason: string } {
  const code = String((error as NodeJS.ErrnoException | undefined)?.code ?? 'UNKNOWN')
  return { code, reason: REASONS[code] ?? `network error ${code}` }
}

/** Why a `fetch` failed, which says `fetch failed` itself and has the network's error as its cause. */
export function fetchReason(error: unknown): string {
  const { name, cause } = error as Error
  if (name === 'AbortError' || name === 'TimeoutError') return 'no answer in time'
  return networkReason(cause ?? error).reason
}
