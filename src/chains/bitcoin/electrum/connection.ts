import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { BadAnswerError, CancelledError, FirnError, UpstreamUnavailableError } from '../../../errors.ts'
import type { ElectrumLimits } from '../limits.ts'
import { createElectrumCalls } from './calls.ts'
import { createLineReader } from './line-reader.ts'

/** One open connection to an Electrum server; it carries many calls at once. */
export interface ElectrumConnection {
  readonly open: boolean
  /** Sends one call; an abort drops it, and closes the connection when no other call waits on it. */
  call(method: string, params: readonly unknown[], signal: AbortSignal): Promise<unknown>
  /** No further calls will follow: the connection closes as soon as no call is under way. */
  retire(): void
  close(error?: Error): void
}

interface OpeningSocket {
  socket: Socket
  /** Event after which calls may be sent. */
  ready: 'connect' | 'secureConnect'
  /** Once ready: the reason why the peer must not be used, if any. */
  refuse(): string | undefined
}

/** Self-signed certificates are common among Electrum servers: they are accepted by fingerprint, never blindly. */
const openTls = (host: string, port: number, pin: string): OpeningSocket => {
  // SNI must be a name; Node refuses an IP literal.
  const servername = isIP(host) === 0 ? { servername: host } : {}
  const socket = connectTls({ host, port, ...servername, rejectUnauthorized: pin === '' })
  const shown = (): string => socket.getPeerX509Certificate()?.fingerprint256 ?? ''
  const plain = (fingerprint: string): string => fingerprint.replaceAll(':', '').toLowerCase()
  return {
    socket,
    ready: 'secureConnect',
    refuse: () => (pin === '' || plain(shown()) === plain(pin) ? undefined : 'shows another certificate than pinned'),
  }
}

const openSocket = (url: string): OpeningSocket => {
  const { protocol, hostname, port, hash } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  if (protocol === 'tls:' || protocol === 'ssl:') return openTls(host, Number(port || 50_002), hash.slice(1))
  if (protocol !== 'tcp:') throw new UpstreamUnavailableError(`Electrum needs tcp:// or tls://, not ${protocol}//`)
  const socket = connectTcp({ host, port: Number(port || 50_001) })
  return { socket, ready: 'connect', refuse: () => undefined }
}

/**
 * Opens a connection (TCP or TLS) for JSON-RPC in lines; calls made before it is established are sent then. A line that
 * is too long, is not JSON or answers no call closes it.
 */
export const openElectrumConnection = (url: string, limits: ElectrumLimits): ElectrumConnection => {
  const { socket, ready, refuse } = openSocket(url)
  const calls = createElectrumCalls()
  let open = true
  let retired = false
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
  /** Calls wait here until the peer is accepted. */
  let outbox: string[] | undefined = []
  const begin = (): void => {
    clearTimeout(connectTimer)
    const objection = refuse()
    if (objection !== undefined) {
      close(new UpstreamUnavailableError(`Electrum server ${objection}`))
      return
    }
    socket.write((outbox ?? []).join(''))
    outbox = undefined
  }
  const feed = createLineReader(limits.maxLineBytes, (line) => {
    calls.settle(line)
    clearTimeout(idleTimer)
    if (!calls.idle() || !open) return
    if (retired) close()
    else idleTimer = setTimeout(close, limits.idleMs).unref()
  })

  socket.setNoDelay(true)
  socket.once(ready, begin)
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
      const line = `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`
      if (outbox) outbox.push(line)
      else socket.write(line)
      return answer
    },
    retire() {
      retired = true
      if (calls.idle()) close()
    },
    close,
  }
}
