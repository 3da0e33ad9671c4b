import {
  BadAnswerError,
  CancelledError,
  failure,
  JsonRpcError,
  OverloadedError,
  UpstreamUnavailableError,
} from '../../../errors.ts'
import { inChunks } from '../../../lib/in-chunks.ts'
import { steadyNow } from '../../../lib/steady-clock.ts'
import { untilAborted } from '../../../lib/waiting/until-aborted.ts'
import { rateWords, type ServerGate } from '../../../upstream/index.ts'
import type { Outcome } from '../../capabilities.ts'
import type { ElectrumLimits } from '../limits.ts'
import { type BitcoinNetworkName, bitcoinNetworks } from '../network.ts'
import { type ElectrumConnection, openElectrumConnection } from './connection.ts'
import { blockHashOf } from './hashes.ts'

/** Oldest protocol with every method used here, and the newest that was tested. */
const PROTOCOL_RANGE = ['1.4', '1.4.3']

export type ElectrumCall = readonly [method: string, params: readonly unknown[]]

/** One Electrum server: connections come and go, the link stays. */
export interface ElectrumLink {
  /** True while there is an open connection that may be reused. */
  readonly warm: boolean
  /** The server's own name, such as `Fulcrum 1.12.0`; undefined until it has answered, or when it gives none. */
  readonly software: string | undefined
  /**
   * Sends all calls in one pipelined round. Refused calls are individual errors. Rejects when nothing was answered
   * because the connection failed. Rejects with OverloadedError when too many wait for their turn, or when the turn
   * came after most of the time was over; if some calls were answered before that, those answers are kept.
   *
   * @param isUrgent see `Waiting`
   */
  send(calls: readonly ElectrumCall[], signal: AbortSignal, isUrgent?: boolean): Promise<Sent>
  close(error: Error): void
}

/** Results of some calls. */
export interface Sent {
  outcomes: Outcome<unknown>[]
  /** Why the calls with `failure(fault)` were not answered. */
  fault?: Error
}

const checkHeader = (header: unknown, network: BitcoinNetworkName): void => {
  if (blockHashOf(header) !== bitcoinNetworks[network].genesisHash) {
    throw new BadAnswerError(`Electrum server is not on bitcoin ${network}`)
  }
}

/**
 * Checks version and network in one round trip. A server that does not show its first block is believed. Returns the
 * server's own name.
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

/** ElectrumX does not mention the number of calls, but what they cost it. */
const REFUSES_NUMBER = /excessive resource usage/i

const turnsAway = ({ message }: Error): boolean => REFUSES_NUMBER.test(message) || rateWords(message) !== undefined

/** The server itself answered the call, even if it closed the connection then, as ElectrumX does on too many calls. */
const isSaid = (one: PromiseSettledResult<unknown>): boolean =>
  one.status === 'fulfilled' || one.reason instanceof JsonRpcError

/**
 * ElectrumX slows down clients that it has answered a lot, and finally closes the connection: its earlier answers are
 * valid. If it sent something that is not an answer, they are not, since they may belong to other calls.
 */
const mayStand = (settled: readonly PromiseSettledResult<unknown>[]): boolean =>
  settled.some((one) => one.status === 'fulfilled') &&
  !settled.some((one) => one.status === 'rejected' && one.reason instanceof BadAnswerError)

/** Throws what ended the connection, if no answer is valid. `excuse` replaces an error that is not the server's. */
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

/** Joins the parts of a round. Faults of the server take precedence over those of this process. */
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
  gate: ServerGate
}): ElectrumLink => {
  const { limits, gate } = deps
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
      // Callers that were given the old connection have sent their calls by now.
      old?.retire()
    }
  }

  /**
   * Simultaneous rounds share one connection and its handshake; when the last one leaves during the handshake, it is
   * aborted. A connection that is replaced for its age closes when no call is under way on it any more.
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
    if (settled.some((one) => one.status === 'rejected' && isSaid(one) && turnsAway(one.reason))) gate.refused(begunAt)
    else if (settled.some(isSaid)) gate.answered()
  }
  /** Sends some calls as one request. Gets the connection after the wait, because it may be gone by then. */
  const sendPart = async (part: readonly ElectrumCall[], signal: AbortSignal, isUrgent: boolean) => {
    const askedAt = steadyNow()
    const done = await gate.enter(signal, isUrgent).catch((error: unknown) => {
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
      // All parts at once, as far as the gate allows: ElectrumX delays the end of its output by a second to hide its size.
      const sent = inChunks(calls, limits.maxPipelined).map((part) =>
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
