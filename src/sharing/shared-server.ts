import { Cluster, Redis } from 'ioredis'

export type RedisClient = Redis | Cluster

/** For health and metrics. */
export interface SharedServerStatus {
  /** `shared` = reachable; `alone` = this process goes by what it knows itself. */
  state: 'shared' | 'alone'
  /** Since when, milliseconds of `Date.now()`. */
  since: number
  /** Message of the latest trouble, while it lasts. It never holds the URL, which may carry a password. */
  trouble?: string
}

export interface SharedServer {
  /**
   * Runs one operation. Undefined when the server is away, answers too late or refuses: the caller goes on alone. Never
   * rejects, never waits for a connection that is not there.
   */
  ask<T>(operation: (client: RedisClient) => Promise<T>): Promise<T | undefined>
  /** Resolves once connected, or after the time to connect. Never rejects. */
  open(): Promise<void>
  status(): SharedServerStatus
  close(): void
}

export interface SharedServerOptions {
  /** `redis://` or `rediss://`, with credentials and database if need be. */
  url: string
  /** The URL is one of the nodes of a cluster. */
  cluster: boolean
  /** Put in front of every key. All keys stand alone, so any cluster may spread them. */
  keyPrefix: string
  /** An answer later than this counts as none, milliseconds. */
  timeoutMs: number
  /** Told when the state changes; `trouble` is a message for the log. */
  onChange?: (status: SharedServerStatus) => void
}

const CONNECT_MS = 2_000
/** Waits between attempts to connect, milliseconds: doubled from the first to the last. */
const FIRST_PAUSE_MS = 50
const LAST_PAUSE_MS = 2_000
const pauseAfter = (attempts: number): number => Math.min(LAST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(attempts, 10))

/** Connects at `open` or at the first question, and for ever again after a loss. */
export function createSharedServer(options: SharedServerOptions): SharedServer {
  let status: SharedServerStatus = { state: 'alone', since: Date.now() }
  let closed = false
  const client = connect(options)

  const become = (state: SharedServerStatus['state'], trouble?: string): void => {
    if (closed || (state === status.state && trouble === status.trouble)) return
    const since = state === status.state ? status.since : Date.now()
    status = { state, since, ...(trouble === undefined ? {} : { trouble }) }
    options.onChange?.(status)
  }
  client.on('ready', () => become('shared'))
  client.on('error', (error: Error & { code?: string }) => {
    if (client.status !== 'ready') become('alone', error.code ?? error.name)
  })
  client.on('close', () => become('alone', status.trouble ?? 'connection closed'))

  return {
    async ask(operation) {
      if (client.status !== 'ready') return undefined
      try {
        return await operation(client)
      } catch {
        return undefined
      }
    },
    async open() {
      if (client.status !== 'wait') return
      const connected = client.connect().catch(() => undefined)
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, CONNECT_MS)
      })
      await Promise.race([connected, late])
      clearTimeout(timer)
    },
    status: () => status,
    close() {
      closed = true
      client.disconnect()
    },
  }
}

function connect({ url, cluster, keyPrefix, timeoutMs }: SharedServerOptions): RedisClient {
  const common = {
    commandTimeout: timeoutMs,
    connectTimeout: CONNECT_MS,
    // A question that waits for a lost server would hold up an answer that needs no server.
    maxRetriesPerRequest: 0,
    enableReadyCheck: true,
    autoResendUnfulfilledCommands: false,
  }
  const sending = { keyPrefix, lazyConnect: true, enableAutoPipelining: true, enableOfflineQueue: false }
  if (!cluster) return new Redis(url, { ...common, ...sending, retryStrategy: pauseAfter })
  const { username, password, protocol } = new URL(url)
  const redisOptions = {
    ...common,
    ...(username ? { username: decodeURIComponent(username) } : {}),
    ...(password ? { password: decodeURIComponent(password) } : {}),
    ...(protocol === 'rediss:' ? { tls: {} } : {}),
  }
  return new Cluster([url], { ...sending, clusterRetryStrategy: pauseAfter, redisOptions })
}
