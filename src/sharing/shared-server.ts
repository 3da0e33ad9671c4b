import { Cluster, type ClusterNode, Redis } from 'ioredis'
import { inTime } from '../lib/waiting/in-time.ts'
import { createBothWays } from './both-ways.ts'
import { isRefusedDatabase, NO_ANSWER, NODE_OF_A_CLUSTER, troubleOf } from './trouble.ts'

export type RedisClient = Redis | Cluster

/** For health and metrics. */
export interface SharedServerStatus {
  /** `shared` = reachable; `alone` = this process uses only what it knows itself. */
  state: 'shared' | 'alone'
  /** Since when, milliseconds of `Date.now()`. */
  since: number
  /** Message of the current problem. It never contains the URL, which may carry a password. */
  trouble?: string
}

export interface SharedServer {
  /**
   * Runs one operation. Undefined when the server is unavailable, too slow or refuses: the caller continues alone.
   * Never rejects, never waits for a missing connection.
   */
  ask<T>(operation: (client: RedisClient) => Promise<T>): Promise<T | undefined>
  /**
   * To current listeners. True once the server has handed it to the connections of all of them (those of a cluster get
   * it later), false = it may be lost; undefined without the server, when nothing is sent. Takes two round trips to the
   * server, one to a cluster. Never rejects.
   */
  publish(channel: string, text: string): Promise<boolean> | undefined
  /**
   * On its own connection, which is restored after a loss. What is sent in between is lost.
   * @param onJoined called whenever messages go both ways again, or for the first time: some may have been lost before
   */
  subscribe(channel: string, listener: (text: string) => void, onJoined?: () => void): void
  /** Resolves once it is known whether the server is usable, or after the connect timeout. Never rejects. */
  open(): Promise<void>
  status(): SharedServerStatus
  close(): void
}

export interface SharedServerOptions {
  /** `redis://` or `rediss://`, with optional credentials and database. */
  url: string
  /** The URL is one of the nodes of a cluster. */
  cluster: boolean
  /** Further nodes of the cluster, `host:port`. */
  nodes: readonly string[]
  /** Prefix of every key. No operation uses several keys, so any cluster may spread them. */
  keyPrefix: string
  /** A later answer counts as none, milliseconds. */
  timeoutMs: number
  /** Called when the state changes; `trouble` is a message for the log. */
  onChange?: (status: SharedServerStatus) => void
}

const CONNECT_MS = 2_000
/** Pauses between attempts to connect, milliseconds: doubled from the first to the last. */
const FIRST_PAUSE_MS = 50
const LAST_PAUSE_MS = 2_000
const pauseAfter = (attempts: number): number => Math.min(LAST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(attempts, 10))

/**
 * After this many consecutive operations without an answer, nobody waits for the next one. They must span a time: when
 * this process was blocked, all open ones are late at once although the server is healthy.
 */
const FAILURES = 3
const FAILING_MS = 900
/** Interval at which a connected server must prove that it does everything required, milliseconds. */
const PROBE_MS = 1_000
/** Failed probes until a new connection is tried: the name may now point to another server. */
const PROBES_OF_A_CONNECTION = 5
/** For a cluster: a reconnect only knows the configured nodes, and a replica may be taking over from these. */
const PROBES_OF_A_CLUSTER = 60
/** A hung node does not notify its subscribers; only the list of nodes shows that another has taken over. */
const NODES_OF_A_CLUSTER_MS = 5_000

/** Interval at which a subscription is requested again, milliseconds. */
const SUBSCRIBE_MS = 5_000
/** Requests without an answer until a new connection is tried. */
const SUBSCRIBES_OF_A_CONNECTION = 2

/**
 * Every command that counters and values send: a full server or a read-only replica answers reads and pings, and a user
 * may be allowed only some of them. Commands in a script need the same permissions.
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
 * Connects at `open`, and reconnects forever after a loss. A server that keeps the connection but hangs, is full, or
 * may not be written to also counts as unavailable.
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
  const ways = createBothWays(() => status.state === 'shared')
  const client = connect(options, known)
  const probesOfAConnection = options.cluster ? PROBES_OF_A_CLUSTER : PROBES_OF_A_CONNECTION

  const become = (state: SharedServerStatus['state'], trouble?: string): void => {
    if (closed || (state === status.state && trouble === status.trouble)) return
    const since = state === status.state ? status.since : Date.now()
    status = { state, since, ...(trouble === undefined ? {} : { trouble }) }
    options.onChange?.(status)
    ways.check()
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
      // The probe's key may be one that this node owns.
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
    // Applies even if reads in between are answered; a server that has not passed a probe yet is not trusted.
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
    // Otherwise the client would continue in database 0, which may hold another application's data.
    if (isRefusedDatabase(error)) client.disconnect(true)
  })
  client.on('close', () => {
    become('alone', status.trouble ?? 'connection closed')
    // Nothing is sent on that connection, so only this shows that its server has been replaced.
    if (listening?.status === 'ready') listening.disconnect(true)
  })

  return {
    async ask(operation) {
      if (client.status !== 'ready' || status.state === 'alone') return undefined
      const result = await attempt(operation)
      return 'answer' in result ? result.answer : undefined
    },
    publish(channel, text) {
      if (client.status !== 'ready' || status.state === 'alone') return undefined
      // A refusal here must not disable counters and values.
      return publishTo(client, options.keyPrefix + channel, text).then(
        () => true,
        () => false,
      )
    },
    subscribe(channel, listener, onJoined) {
      const own = connect(options, known)
      listening = own
      ways.onJoined = onJoined
      own.on('error', () => undefined)
      own.on('close', () => ways.hears(false))
      let unanswered = 0
      own.on('message', (_, text: string) => listener(text))
      const ask = (): void => {
        if (own.status !== 'ready') return
        own.subscribe(options.keyPrefix + channel).then(
          () => {
            unanswered = 0
            ways.hears(true)
          },
          (error: unknown) => {
            // Nothing else is sent on it: something on the way may have dropped the connection without a word.
            if (troubleOf(error) === NO_ANSWER && ++unanswered % SUBSCRIBES_OF_A_CONNECTION === 0) own.disconnect(true)
          },
        )
      }
      own.on('ready', ask)
      // During trouble the request may be late or refused, here or when the client itself asks another node, and
      // nothing would be received from then on. Where the subscription exists, this changes nothing.
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

/** The client's own errors about commands that it did not send, which follow the actual problem. */
const OWN_WORDS = /^Stream isn't writeable/

/**
 * Redis writes its answer before it writes to those who listen, and may have to wait for a processor in between. What is
 * asked next it reads once all of that is written; no node of a cluster knows when the others have.
 */
async function publishTo(client: RedisClient, channel: string, text: string): Promise<void> {
  await client.publish(channel, text)
  if (client instanceof Redis) await client.get('told')
}

/** The nodes named by a cluster's latest list. */
interface KnownNodes {
  nodes: { host: string; port: number }[]
}

function connect(options: SharedServerOptions, known: KnownNodes): RedisClient {
  const { url, cluster, keyPrefix, timeoutMs } = options
  const common = {
    commandTimeout: timeoutMs,
    connectTimeout: CONNECT_MS,
    // An operation that waits for a lost server would delay an answer that does not need the server.
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
    // A client that lost all connections would only ask the configured nodes, which may have been replaced. They are
    // still asked first: their name may now be that of another cluster while nodes of the old one are still running.
    clusterRetryStrategy(this: { startupNodes: ClusterNode[] }, attempts: number) {
      this.startupNodes = attempts % 2 === 0 && known.nodes.length > 0 ? known.nodes : configured
      return pauseAfter(attempts)
    },
    slotsRefreshInterval: NODES_OF_A_CLUSTER_MS,
    // By default the nodes' names are resolved first, and certificates are then compared with addresses.
    dnsLookup: (name, done) => done(null, name),
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
