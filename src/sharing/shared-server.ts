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

/**
 * So many questions in a row without an answer, and nobody is made to wait for the next one. They must not be of one
 * moment: when this process stands still, all that are open are late at once, and the server is well.
 */
const FAILURES = 3
const FAILING_MS = 900
/** How often a connected server has to show that it still takes writes, milliseconds. */
const PROBE_MS = 1_000
/** Failed probes until another connection is tried: behind the same name may be another server by now. */
const PROBES_OF_A_CONNECTION = 5

/**
 * Connects at `open`, and for ever again after a loss. A server that keeps the connection but
 * hangs, is full, or may not be written to is away, too.
 */
export function createSharedServer(options: SharedServerOptions): SharedServer {
  let status: SharedServerStatus = { state: 'alone', since: Date.now() }
  let closed = false
  let failures = 0
  let failingSince = 0
  let failedProbes = 0
  const client = connect(options)

  const become = (state: SharedServerStatus['state'], trouble?: string): void => {
    if (closed || (state === status.state && trouble === status.trouble)) return
    const since = state === status.state ? status.since : Date.now()
    status = { state, since, ...(trouble === undefined ? {} : { trouble }) }
    options.onChange?.(status)
  }
  const silent = (): boolean => failures >= FAILURES && performance.now() - failingSince >= FAILING_MS
  const attempt = async <T>(operation: (client: RedisClient) => Promise<T>): Promise<{ answer: T } | undefined> => {
    try {
      const answer = await operation(client)
      failures = 0
      return { answer }
    } catch (error) {
      if (failures === 0) failingSince = performance.now()
      failures += 1
      if (silent() && client.status === 'ready') become('alone', troubleOf(error))
      return undefined
    }
  }
  const probe = async (): Promise<void> => {
    if (client.status !== 'ready') return
    // A write: one that is full or a mere copy of another answers reads and pings.
    if (await attempt((server) => server.set('probe', '1', 'PX', PROBE_MS))) {
      failedProbes = 0
      return become('shared')
    }
    failedProbes += 1
    if (failedProbes % PROBES_OF_A_CONNECTION === 0 && !closed) client.disconnect(true)
  }
  const probing = setInterval(() => void probe(), PROBE_MS).unref()
  client.on('ready', () => {
    failures = 0
    become('shared')
  })
  client.on('error', (error: Error) => {
    if (client.status !== 'ready' && !OWN_WORDS.test(error.message)) become('alone', troubleOf(error))
    // The client would go on in database 0, where somebody else may keep his own.
    if (isRefusedDatabase(error)) client.disconnect(true)
  })
  client.on('close', () => become('alone', status.trouble ?? 'connection closed'))

  return {
    async ask(operation) {
      if (client.status !== 'ready' || status.state === 'alone') return undefined
      return (await attempt(operation))?.answer
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
      clearInterval(probing)
      client.disconnect()
    },
  }
}

/** What the client says of commands that it did not send, behind the trouble itself. */
const OWN_WORDS = /^Stream isn't writeable/
const NO_REDIS = /^(Protocol error|Unknown RESP type)/

/** The server's own word for what is wrong (`OOM`, `READONLY`, `CLUSTERDOWN` …); nothing of a command or its key. */
function troubleOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  if (error.message === 'Command timed out') return 'no answer in time'
  if (NO_REDIS.test(error.message)) return 'what answers is no Redis server'
  if (isRefusedDatabase(error)) return 'refuses the database of the URL'
  return /^[A-Z]{2,20}(?= )/.exec(error.message)?.[0] ?? (error as { code?: string }).code ?? error.name
}

const isRefusedDatabase = (error: Error): boolean =>
  (error as { command?: { name?: unknown } }).command?.name === 'select'

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
