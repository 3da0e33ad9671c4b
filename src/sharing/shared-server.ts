import { Cluster, type ClusterNode, Redis } from 'ioredis'
import { inTime } from '../lib/in-time.ts'

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
  /** To whoever listens now. Nobody waits for it; without the server, or the permission, nothing is sent. */
  publish(channel: string, text: string): void
  /** On a connection of its own, which comes back after a loss. What is sent in between is lost. */
  subscribe(channel: string, listener: (text: string) => void): void
  /** Resolves once it is known whether the server will do, or after the time to connect. Never rejects. */
  open(): Promise<void>
  status(): SharedServerStatus
  close(): void
}

export interface SharedServerOptions {
  /** `redis://` or `rediss://`, with credentials and database if need be. */
  url: string
  /** The URL is one of the nodes of a cluster. */
  cluster: boolean
  /** Further nodes of the cluster, `host:port`. */
  nodes: readonly string[]
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
/** How often a connected server has to show that it does all that is asked of it, milliseconds. */
const PROBE_MS = 1_000
/** Failed probes until another connection is tried: behind the same name may be another server by now. */
const PROBES_OF_A_CONNECTION = 5
/** Of a cluster: who connects anew knows the nodes of the configuration alone, and a copy may be taking the place of these. */
const PROBES_OF_A_CLUSTER = 60
/** A node that hangs says nothing to those that subscribed there; that another has its place is in the list of nodes. */
const NODES_OF_A_CLUSTER_MS = 5_000

/** How often a subscription is asked for again. */
const SUBSCRIBE_MS = 5_000

/**
 * Every command that counters and values send: one that is full or a mere copy of another answers reads and pings, and a
 * user may be let do some of them only. Commands in a script need the same permissions.
 */
const PROBE = `
redis.call('SET', KEYS[1], '1', 'PX', ARGV[1])
redis.call('INCRBY', KEYS[1], '1')
redis.call('DECRBY', KEYS[1], '1')
redis.call('PEXPIRE', KEYS[1], ARGV[1])
redis.call('GET', KEYS[1])
redis.call('PTTL', KEYS[1])
return redis.call('DEL', KEYS[1])`

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
  let probesFailingSince = 0
  let isOneOfMany = false
  const known: KnownNodes = { nodes: [] }
  const client = connect(options, known)
  const probesOfAConnection = options.cluster ? PROBES_OF_A_CLUSTER : PROBES_OF_A_CONNECTION

  const become = (state: SharedServerStatus['state'], trouble?: string): void => {
    if (closed || (state === status.state && trouble === status.trouble)) return
    const since = state === status.state ? status.since : Date.now()
    status = { state, since, ...(trouble === undefined ? {} : { trouble }) }
    options.onChange?.(status)
  }
  const areLasting = (count: number, since: number): boolean =>
    count >= FAILURES && performance.now() - since >= FAILING_MS
  const attempt = async <T>(
    operation: (client: RedisClient) => Promise<T>,
  ): Promise<{ answer: T } | { trouble: string }> => {
    try {
      const answer = await operation(client)
      failures = 0
      return { answer }
    } catch (error) {
      const trouble = troubleOf(error)
      if (failures === 0) failingSince = performance.now()
      failures += 1
      // The probe's key may be one of those that this node has.
      if (trouble === NODE_OF_A_CLUSTER && !options.cluster) isOneOfMany = true
      if ((isOneOfMany || areLasting(failures, failingSince)) && client.status === 'ready') become('alone', trouble)
      return { trouble }
    }
  }
  const probe = async (): Promise<void> => {
    if (client.status !== 'ready' || isOneOfMany) return
    const result = await attempt((server) => server.eval(PROBE, 1, 'probe', String(PROBE_MS)))
    if (client.status !== 'ready' || isOneOfMany) return
    if ('answer' in result) {
      failedProbes = 0
      return become('shared')
    }
    if (failedProbes === 0) probesFailingSince = performance.now()
    failedProbes += 1
    // Also where reads in between are answered; who was not found fit yet is not.
    if (status.state === 'alone' || areLasting(failedProbes, probesFailingSince)) become('alone', result.trouble)
    if (failedProbes % probesOfAConnection === 0 && !closed) client.disconnect(true)
  }
  const probing = setInterval(() => void probe(), PROBE_MS).unref()
  let listening: RedisClient | undefined
  let asking: NodeJS.Timeout | undefined
  let firstProbe: (() => void) | undefined
  const probed = new Promise<void>((resolve) => {
    firstProbe = resolve
  })
  client.on('ready', () => {
    failures = 0
    isOneOfMany = false
    void probe().then(firstProbe)
  })
  client.on('error', (error: Error) => {
    if (client.status !== 'ready' && !OWN_WORDS.test(error.message)) become('alone', troubleOf(error))
    // The client would go on in database 0, where somebody else may keep his own.
    if (isRefusedDatabase(error)) client.disconnect(true)
  })
  client.on('close', () => {
    become('alone', status.trouble ?? 'connection closed')
    // Nothing is asked on that connection: that its server is another one by now shows here alone.
    if (listening?.status === 'ready') listening.disconnect(true)
  })

  return {
    async ask(operation) {
      if (client.status !== 'ready' || status.state === 'alone') return undefined
      const result = await attempt(operation)
      return 'answer' in result ? result.answer : undefined
    },
    publish(channel, text) {
      if (client.status !== 'ready' || status.state === 'alone') return
      // What is refused is no reason to go without counters and values.
      void client.publish(options.keyPrefix + channel, text).catch(() => undefined)
    },
    subscribe(channel, listener) {
      const own = connect(options, known)
      listening = own
      own.on('error', () => undefined)
      own.on('message', (_, text: string) => listener(text))
      const ask = (): void => {
        if (own.status === 'ready') void own.subscribe(options.keyPrefix + channel).catch(() => undefined)
      }
      own.on('ready', ask)
      // Asked in time of trouble it may be late or refused, here or where the client asks another node by itself, and nobody
      // would hear anything from then on. Where it is subscribed already nothing changes.
      asking = setInterval(ask, SUBSCRIBE_MS).unref()
      void own.connect().catch(() => undefined)
    },
    async open() {
      if (client.status !== 'wait') return
      const connected = client.connect().then(
        () => probed,
        () => undefined,
      )
      await inTime(connected, CONNECT_MS, () => undefined)
    },
    status: () => status,
    close() {
      closed = true
      clearInterval(probing)
      clearInterval(asking)
      client.disconnect()
      listening?.disconnect()
    },
  }
}

/** What the client says of commands that it did not send, behind the trouble itself. */
const OWN_WORDS = /^Stream isn't writeable/
const NO_REDIS = /^(Protocol error|Unknown RESP type)/
const NODE_OF_A_CLUSTER = 'is one node of a cluster, which redis.cluster tells'
/** A sentinel, or a server whose commands were renamed. */
const UNKNOWN_COMMAND = /unknown (redis )?command/i
/** Of a command in a script; servers before 7 have the word inside their own. */
const REFUSED_IN_SCRIPT = /ACL failure in script|can't run this command/
const WORD_OF_A_SCRIPT = /^ERR Error running script .*?: -([A-Z]{2,20}) /

/** The server's own word for what is wrong (`OOM`, `READONLY`, `CLUSTERDOWN` …); nothing of a command or its key. */
function troubleOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  if (error.message === 'Command timed out') return 'no answer in time'
  if (NO_REDIS.test(error.message)) return 'what answers is no Redis server'
  if (isRefusedDatabase(error)) return 'refuses the database of the URL'
  if (error.message.startsWith('MOVED ')) return NODE_OF_A_CLUSTER
  if (UNKNOWN_COMMAND.test(error.message)) return 'lacks a command'
  if (REFUSED_IN_SCRIPT.test(error.message)) return 'NOPERM'
  const inScript = WORD_OF_A_SCRIPT.exec(error.message)?.[1]
  return inScript ?? /^[A-Z]{2,20}(?= )/.exec(error.message)?.[0] ?? (error as { code?: string }).code ?? error.name
}

const isRefusedDatabase = (error: Error): boolean =>
  (error as { command?: { name?: unknown } }).command?.name === 'select'

/** What the last list of a cluster's nodes named. */
interface KnownNodes {
  nodes: { host: string; port: number }[]
}

function connect(options: SharedServerOptions, known: KnownNodes): RedisClient {
  const { url, cluster, keyPrefix, timeoutMs } = options
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
  const configured = [url, ...options.nodes.map((node) => `${protocol}//${node}`)]
  const client = new Cluster(configured, {
    ...sending,
    // Who lost all connections would ask the nodes of the configuration alone, and others may have their places by now. They
    // are asked first all the same: their name may have become that of another cluster, while nodes of the old one go on.
    clusterRetryStrategy(this: { startupNodes: ClusterNode[] }, attempts: number) {
      this.startupNodes = attempts % 2 === 0 && known.nodes.length > 0 ? known.nodes : configured
      return pauseAfter(attempts)
    },
    slotsRefreshInterval: NODES_OF_A_CLUSTER_MS,
    redisOptions: {
      ...common,
      ...(username ? { username: decodeURIComponent(username) } : {}),
      ...(password ? { password: decodeURIComponent(password) } : {}),
      ...(protocol === 'rediss:' ? { tls: {} } : {}),
    },
  })
  client.on('refresh', () => {
    known.nodes = client.nodes().map(({ options: { host = '', port = 0 } }) => ({ host, port }))
  })
  return client
}
