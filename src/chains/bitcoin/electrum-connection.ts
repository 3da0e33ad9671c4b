import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { BadAnswerError, CancelledError, FirnError, UpstreamUnavailableError } from '../../errors.ts'
import { createElectrumCalls } from './electrum-calls.ts'
import { createLineReader } from './line-reader.ts'
import type { ElectrumLimits } from './network.ts'

/** One open connection to an Electrum server; many calls travel on it at once. */
export interface ElectrumConnection {
  readonly open: boolean
  /** Sends one call; an abort forgets it, and closes the connection when nothing else waits on it. */
  call(method: string, params: readonly unknown[], signal: AbortSignal): Promise<unknown>
  close(error?: Error): void
}

const openSocket = (url: string): { socket: Socket; ready: 'connect' | 'secureConnect' } => {
  const { protocol, hostname, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  if (protocol === 'tcp:') return { socket: connectTcp({ host, port: Number(port || 50_001) }), ready: 'connect' }
  if (protocol === 'tls:' || protocol === 'ssl:') {
    // SNI must be a name; Node refuses an IP literal.
    const servername = isIP(host) === 0 ? { servername: host } : {}
    return { socket: connectTls({ host, port: Number(port || 50_002), ...servername }), ready: 'secureConnect' }
  }
  throw new UpstreamUnavailableError(`Electrum needs tcp:// or tls://, not ${protocol}//`)
}

/**
 * Opens a connection (TCP or TLS) that speaks JSON-RPC in lines; calls made before it is up are sent then. A line that
 * is too long, no JSON or no answer to a call closes it.
 */
export const openElectrumConnection = (url: string, limits: ElectrumLimits): ElectrumConnection => {
  const { socket, ready } = openSocket(url)
  const calls = createElectrumCalls()
  let open = true
  let idleTimer: NodeJS.Timeout | undefined

  const close = (error: Error = new UpstreamUnavailableError('Electrum server closed the connection')): void => {
    if (!open) return
    open = false
    clearTimeout(connectTimer)
    clearTimeout(idleTimer)
    socket.destroy()
    calls.failAll(error)
  }
  const connectTimer = setTimeout(
    () => close(new UpstreamUnavailableError('Electrum server did not accept the connection in time')),
    limits.connectTimeoutMs,
  )
  const feed = createLineReader(limits.maxLineBytes, (line) => {
    calls.settle(line)
    clearTimeout(idleTimer)
    if (calls.idle() && open) idleTimer = setTimeout(close, limits.idleMs).unref()
  })

  socket.setNoDelay(true)
  socket.once(ready, () => clearTimeout(connectTimer))
  socket.on('data', (chunk: Buffer) => {
    try {
      feed(chunk)
    } catch (cause) {
      close(cause instanceof FirnError ? cause : new BadAnswerError('Electrum server sent no JSON', cause))
    }
  })
  socket.on('error', (cause) => close(new UpstreamUnavailableError('Electrum server cannot be reached', cause)))
  socket.on('close', () => close())

  return {
    get open() {
      return open
    },
    async call(method, params, signal) {
      if (!open) throw new UpstreamUnavailableError('Electrum server closed the connection')
      if (signal.aborted) throw new CancelledError()
      clearTimeout(idleTimer)
      const { id, answer } = calls.open(signal, () => close(new CancelledError()))
      socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
      return answer
    },
    close,
  }
}
