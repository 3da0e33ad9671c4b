import {
  BadAnswerError,
  CancelledError,
  failure,
  JsonRpcError,
  OverloadedError,
  UpstreamUnavailableError,
} from '../../errors.ts'
import { steadyNow } from '../../lib/steady-clock.ts'
import { untilAborted } from '../../lib/until-aborted.ts'
import { rateWords, type Turns } from '../../upstream/index.ts'
import type { Outcome } from '../capabilities.ts'
import { type ElectrumConnection, openElectrumConnection } from './electrum-connection.ts'
import { blockHashOf } from './hashes.ts'
import { type BitcoinNetworkName, bitcoinNetworks, type ElectrumLimits } from './network.ts'

/** Oldest protocol with every method used here, and the newest that was tried. */
const PROTOCOL_RANGE = ['1.4', '1.4.3']

export type ElectrumCall = readonly [method: string, params: readonly unknown[]]

/** One Electrum server: its connection comes and goes, the link stays. */
export interface ElectrumLink {
  /** True while a connection stands that may be used again. */
  readonly warm: boolean
  /** What the server has called itself, as `Fulcrum 1.12.0`; undefined until it has answered, or when it does not tell. */
  readonly software: string | undefined
  /**
   * All calls in one pipelined round. Refused calls are errors of their own. Rejects when nothing was answered because the
   * connection failed, and with OverloadedError when too many wait for their turn, or most of the time was over before it
   * came; where that came behind some answers, those stand.
   *
   * @param isUrgent see `Waiting`
   */
  send(calls: readonly ElectrumCall[], signal: AbortSignal, isUrgent?: boolean): Promise<Sent>
  close(error: Error): void
}

/** What has come of some calls. */
export interface Sent {
  outcomes: Outcome<unknown>[]
  /** Why those that are `failure(fault)` were not answered. */
  fault?: Error
}

const checkHeader = (header: unknown, network: BitcoinNetworkName): void => {
  if (blockHashOf(header) !== bitcoinNetworks[network].genesisHash) {
    throw new BadAnswerError(`Electrum server is not on bitcoin ${network}`)
  }
}

/**
 * Version and network in one round trip. A server that will not show its first block is believed. Gives what it calls
 * itself.
 */
const shakeHands = async (connection: ElectrumConnection, network: BitcoinNetworkName, limit: AbortSignal) => {
  const [version, header] = await Promise.all([
    connection.call('server.version', ['firn', PROTOCOL_RANGE], limit),
    connection.call('blockchain.block.header', [0], limit).catch((error: unknown) => {
      if (error instanceof JsonRpcError) return undefined
      throw error
    }),
  ])
  if (header !== undefined) checkHeader(header, network)
  const name: unknown = Array.isArray(version) ? version[0] : undefined
  return typeof name === 'string' ? name : undefined
}

/** ElectrumX names no number of calls, but what they cost it. */
const REFUSES_NUMBER = /excessive resource usage/i

const turnsAway = ({ message }: Error): boolean => REFUSES_NUMBER.test(message) || rateWords(message) !== undefined

/** What the server itself said of a call; it may have hung up with it, as ElectrumX does where it is asked for too much. */
const isSaid = (one: PromiseSettledResult<unknown>): boolean =>
  one.status === 'fulfilled' || one.reason instanceof JsonRpcError

/**
 * ElectrumX slows down whom it has answered much, and hangs up at last: what it said before stands. Not so where it sent
 * what is no answer, since nobody knows then whose answers the others are.
 */
const mayStand = (settled: readonly PromiseSettledResult<unknown>[]): boolean =>
  settled.some((one) => one.status === 'fulfilled') &&
  !settled.some((one) => one.status === 'rejected' && one.reason instanceof BadAnswerError)

/** Throws what ended the connection, when nothing stands. `excuse` says what it was instead, if it was another's fault. */
const sentOf = (
  settled: readonly PromiseSettledResult<unknown>[],
  isOpen: boolean,
  excuse: (e: Error) => Error,
): Sent => {
  const cut = settled.find((one) => one.status === 'rejected' && !(isOpen && one.reason instanceof JsonRpcError))
  const fault = cut?.status === 'rejected' ? excuse(cut.reason as Error) : undefined
  if (fault && !mayStand(settled)) throw fault
  const outcomes = settled.map((one): Outcome<unknown> => {
    if (one.status === 'fulfilled') return { ok: true, value: one.value }
    return failure(isSaid(one) ? one.reason : fault)
  })
  return fault ? { outcomes, fault } : { outcomes }
}

/** The parts of a round. What speaks of the server goes before what speaks of this process. */
const joined = (parts: readonly Sent[]): Sent => {
  const faults = parts.flatMap(({ fault }) => fault ?? [])
  const wrong = faults.find((fault) => fault instanceof BadAnswerError)
  const fault = wrong ?? faults.find((one) => !(one instanceof OverloadedError)) ?? faults[0]
  const outcomes = parts.flatMap((part) =>
    part.outcomes.map((one) => (fault && !one.ok && one.error === part.fault ? failure(fault) : one)),
  )
  if (!fault) return { outcomes }
  if (wrong || !outcomes.some(({ ok }) => ok)) throw fault
  return { outcomes, fault }
}

export const createElectrumLink = (deps: {
  url: string
  network: BitcoinNetworkName
  limits: ElectrumLimits
  turns: Turns
}): ElectrumLink => {
  const { limits, turns } = deps
  let connection: ElectrumConnection | undefined
  let ready: Promise<ElectrumConnection> | undefined
  let software: string | undefined
  let openedAt = 0
  let waiting = 0

  const open = async (): Promise<ElectrumConnection> => {
    const old = connection
    const fresh = openElectrumConnection(deps.url, limits)
    connection = fresh
    openedAt = steadyNow()
    try {
      const limit = AbortSignal.timeout(limits.connectTimeoutMs + limits.answerTimeoutMs)
      software = await shakeHands(fresh, deps.network, limit)
      return fresh
    } catch (error) {
      const reason =
        error instanceof CancelledError ? new UpstreamUnavailableError('Electrum handshake took too long') : error
      fresh.close()
      throw reason
    } finally {
      // Whoever was given it before has made the calls by now.
      old?.retire()
    }
  }

  /**
   * Simultaneous rounds share one connection and its handshake; the last to leave a handshake ends it. One that is left for
   * its age ends when nothing is under way on it any more.
   */
  const connect = async (signal: AbortSignal): Promise<ElectrumConnection> => {
    if (!ready || !connection?.open || steadyNow() - openedAt > limits.lifeMs) ready = open()
    waiting += 1
    try {
      return await untilAborted(ready, signal)
    } finally {
      waiting -= 1
      if (signal.aborted && waiting === 0) connection?.close(new CancelledError())
    }
  }

  const note = (settled: readonly PromiseSettledResult<unknown>[], begunAt: number): void => {
    if (settled.some((one) => one.status === 'rejected' && isSaid(one) && turnsAway(one.reason))) turns.refused(begunAt)
    else if (settled.some(isSaid)) turns.answered()
  }
  /** Some calls in one turn. The connection is looked for behind the wait: it may be gone by then. */
  const sendPart = async (part: readonly ElectrumCall[], signal: AbortSignal, isUrgent: boolean) => {
    const askedAt = steadyNow()
    const done = await turns.take(signal, isUrgent).catch((error: unknown) => {
      throw error instanceof CancelledError ? new OverloadedError('no turn came in time') : error
    })
    const begunAt = steadyNow()
    const excuse = (error: Error): Error =>
      error instanceof CancelledError && begunAt - askedAt > steadyNow() - begunAt
        ? new OverloadedError('its turn came late')
        : error
    try {
      const line = await connect(signal).catch((error: Error) => {
        throw excuse(error)
      })
      const settled = await Promise.allSettled(part.map(([method, params]) => line.call(method, params, signal)))
      note(settled, begunAt)
      return sentOf(settled, line.open, excuse)
    } finally {
      done()
    }
  }

  return {
    get warm() {
      return connection?.open === true
    },
    get software() {
      return software
    },
    async send(calls, signal, isUrgent = false) {
      const parts: (readonly ElectrumCall[])[] = []
      for (let start = 0; start < calls.length; start += limits.maxPipelined)
        parts.push(calls.slice(start, start + limits.maxPipelined))
      // At once, as far as there are turns: ElectrumX holds the end of what it sends for a second, to hide what it is.
      const sent = parts.map((part) =>
        sendPart(part, signal, isUrgent).catch(
          (fault: Error): Sent => ({ outcomes: part.map(() => failure(fault)), fault }),
        ),
      )
      return joined(await Promise.all(sent))
    },
    close(error) {
      connection?.close(error)
    },
  }
}
