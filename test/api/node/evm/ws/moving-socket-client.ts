import { setImmediate as nextTurn } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { EvmStage } from '../stage.ts'
import { asks, hashOf, type MovingFilter, type MovingLog, matches, pick } from './moving-ws-node.ts'

// A subscriber that checks what it is told, and that it can ask for it.

export interface SocketsReport {
  /** Twice, left out, out of order, not known behind it, or left open. */
  wrong: string[]
  /** By kind. */
  pushed: Record<string, number>
  /** Calls that were checked. */
  asked: number
  errors: number
  /** Clients that were told to begin anew. */
  broken: number
  clients: number
}

export interface Subscribed {
  id: string
  kind: string
  filter: MovingFilter
  isEnding: boolean
  hasEnded: boolean
  heads: number[]
  logs: MovingLog[]
  transactions: Set<string>
}

export interface Run {
  random: () => number
  report: SocketsReport
  stages: readonly EvmStage[]
  top(): number
  /** Questions that are not answered yet. */
  checks: Promise<void>[]
}

interface Answer {
  result?: unknown
  error?: { code: number; message: string }
}

/** A client of one connection. */
export interface SocketClient {
  subscriptions: Subscribed[]
  subscribe(kind: string, filter?: MovingFilter): Promise<void>
  unsubscribe(one: Subscribed): Promise<void>
  leave(): void
  /** Whether it is connected. */
  isHere(): boolean
}

export async function openMoving(run: Run, name: string): Promise<SocketClient> {
  const { random, report } = run
  // The last of several processes hears of blocks from the others alone.
  const socket = new WebSocket(pick(random, run.stages.length > 1 ? run.stages.slice(0, -1) : run.stages).wsUrl)
  const subscriptions: Subscribed[] = []
  const waiting = new Map<number, (answer: Answer | undefined) => void>()
  let last = 0
  let hasLeft = false
  const wrong = (text: string): void => void report.wrong.push(`${name}: ${text}`)
  const call = (method: string, params: unknown[], taken?: (answer: Answer) => void): Promise<Answer | undefined> =>
    new Promise((resolve) => {
      last += 1
      waiting.set(last, (answer) => {
        if (answer) taken?.(answer)
        resolve(answer)
      })
      if (socket.readyState === socket.OPEN) socket.send(JSON.stringify({ jsonrpc: '2.0', id: last, method, params }))
      else resolve(undefined)
    })
  const post = async (method: string, params: unknown[]): Promise<Answer | undefined> => {
    const { status, text } = await pick(random, run.stages).post({ jsonrpc: '2.0', id: 1, method, params })
    return status === 200 ? (JSON.parse(text) as Answer) : { error: { code: status, message: text } }
  }
  /** Asks, behind what was told. */
  const check = async (height: number, why: string): Promise<void> => {
    const [method, params, isWrong] = pick(random, asks(height))
    const isHere = random() < 0.5
    // Processes share one event loop here: what waits at the sockets of another one is read in one of two turns.
    if (run.stages.length > 1) await nextTurn().then(() => nextTurn())
    const answer = await (isHere ? call : post)(method, params)
    if (!answer) return
    report.asked += 1
    if (answer.error) report.errors += 1
    else if (isWrong(answer.result))
      wrong(
        `${isHere ? 'socket' : 'HTTP'} ${method} ${JSON.stringify(params)}: ${JSON.stringify(answer.result)?.slice(0, 150)} behind ${why} ${height}`,
      )
  }
  const onHead = (one: Subscribed, head: { number: string; hash: string; parentHash: string }): number => {
    const height = Number(head.number)
    const before = one.heads.at(-1)
    if (before !== undefined && height !== before + 1) wrong(`${one.id} head ${height} behind ${before}`)
    if (head.hash !== hashOf(height) || head.parentHash !== hashOf(height - 1)) wrong(`head ${JSON.stringify(head)}`)
    one.heads.push(height)
    return height
  }
  const placeOf = (log: MovingLog): number => Number(log.blockNumber) * 100 + Number(log.logIndex)
  const onLog = (one: Subscribed, log: MovingLog): number => {
    const before = one.logs.at(-1)
    const [was, is] = [before ? placeOf(before) : 0, placeOf(log)]
    if (one.logs.some((other) => placeOf(other) === is)) wrong(`${one.id} log ${is} twice`)
    else if (is < was) wrong(`${one.id} log ${is} behind ${was}`)
    if (!matches(one.filter, log)) wrong(`${one.id} log ${is} is not of ${JSON.stringify(one.filter)}`)
    one.logs.push(log)
    return Number(log.blockNumber)
  }
  const onPush = ({ subscription, result }: { subscription: string; result: unknown }): void => {
    const one = subscriptions.find(({ id, hasEnded }) => id === subscription && !hasEnded)
    if (!one) {
      wrong(`a push for ${subscription}, which is nobody's`)
      return
    }
    report.pushed[one.kind] = (report.pushed[one.kind] ?? 0) + 1
    if (one.kind === 'newPendingTransactions') {
      if (one.transactions.has(String(result))) wrong(`${one.id} ${String(result)} twice`)
      one.transactions.add(String(result))
      return
    }
    const height = one.kind === 'newHeads' ? onHead(one, result as never) : onLog(one, result as never)
    if (random() < 0.6) run.checks.push(check(height, one.kind))
  }
  socket.on('error', () => undefined)
  socket.on('message', (data) => {
    const message = JSON.parse(String(data)) as Answer & { id?: number; params?: never }
    if (message.id === undefined) return void (hasLeft || onPush(message.params as never))
    waiting.get(message.id)?.(message)
    waiting.delete(message.id)
  })
  socket.on('close', (code, reason) => {
    for (const answered of waiting.values()) answered(undefined)
    if (hasLeft) return
    hasLeft = true
    report.broken += 1
    if (code !== 1013) wrong(`closed with ${code} ${String(reason)}`)
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => resolve())
    socket.once('error', reject)
  })
  report.clients += 1
  return {
    subscriptions,
    isHere: () => !hasLeft,
    subscribe: async (kind, filter) => {
      await call('eth_subscribe', filter ? [kind, filter] : [kind], ({ result, error }) => {
        if (error) report.errors += 1
        else if (subscriptions.some(({ id, hasEnded }) => id === result && !hasEnded))
          wrong(`two are ${String(result)}`)
        else
          subscriptions.push({
            ...{ id: String(result), kind, filter: filter ?? {}, isEnding: false, hasEnded: false },
            ...{ heads: [], logs: [], transactions: new Set() },
          })
      })
    },
    unsubscribe: async (one) => {
      one.isEnding = true
      await call('eth_unsubscribe', [one.id], ({ result, error }) => {
        one.hasEnded = true
        if (result !== true) wrong(`unsubscribe ${one.id}: ${JSON.stringify(error)}`)
      })
    },
    leave: () => {
      hasLeft = true
      if (random() < 0.5) socket.close()
      else socket.terminate()
    },
  }
}
