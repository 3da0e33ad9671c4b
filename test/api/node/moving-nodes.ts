import { setTimeout as pause } from 'node:timers/promises'
import { randomOf } from './evm/chaos-run.ts'

// Nodes that accept each block at moments of their own and fail in turn, seeded. Clients are told of blocks and go on
// from there: what was told has to stay true.

export type Fault = 'none' | 'dead' | 'busy' | 'page' | 'stuck'

export interface MovingNode {
  /** By chain. */
  heights: Record<string, number>
  fault: Fault
  /** Longest time between a question and its answer, milliseconds. */
  delayMs: number
}

/** What came of many questions. */
export interface MovingReport {
  /** Results that left out, denied or went back behind what a client had been told. */
  wrong: string[]
  answered: number
  errors: number
  blocks: number
}

export interface MovingNodes {
  nodes: readonly MovingNode[]
  random: () => number
  report: MovingReport
  /** The highest block of each chain that any client was told of. */
  told: Record<string, number>
  /**
   * Several processes are asked. They share one event loop here, in which one may be asked before it has read what
   * another has sent it; clients, and what is between them and the processes, are further away than that.
   */
  isApart?: boolean
  /** Runs `ask` so often in all, in eight lanes, while blocks are accepted and nodes fail. */
  run(times: number, ask: (lane: number) => Promise<void>): Promise<void>
}

/** What blocks are made of, where it matters. */
export interface MovingBlocks {
  /** A block is made; nodes accept it later, each at its own moment. */
  made(chain: string, height: number): void
  /** The lowest block of each other chain that a node has to have before it accepts this one. */
  needs(chain: string, height: number): Readonly<Record<string, number>>
}

const FAST_MS = 3
const SLOW_MS = 120
const LANES = 8

export function createMovingNodes(
  seed: number,
  first: Readonly<Record<string, number>>,
  blocks?: MovingBlocks,
): MovingNodes {
  const random = randomOf(seed)
  const nodes = [1, 2, 3].map((): MovingNode => ({ heights: { ...first }, fault: 'none', delayMs: FAST_MS }))
  const report: MovingReport = { wrong: [], answered: 0, errors: 0, blocks: 0 }
  const top = { ...first }
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T

  const reach = async (node: MovingNode, chain: string, height: number, ms: number): Promise<void> => {
    await pause(ms)
    const needs = Object.entries(blocks?.needs(chain, height) ?? {})
    const lacks = () => needs.some(([other, least]) => (node.heights[other] ?? 0) < least)
    while (node.fault === 'stuck' || lacks()) await pause(10)
    node.heights[chain] = Math.max(node.heights[chain] ?? 0, height)
  }
  const accept = (): void => {
    const chain = pick(Object.keys(first))
    const height = (top[chain] ?? 0) + 1
    report.blocks += 1
    top[chain] = height
    blocks?.made(chain, height)
    for (const node of nodes) void reach(node, chain, height, random() < 0.1 ? 300 : random() * 40)
  }
  /** One node at a time: where all fail there is nothing to tell. */
  const fail = async (): Promise<void> => {
    const node = pick(nodes)
    if (nodes.some(({ fault, delayMs }) => fault !== 'none' || delayMs > FAST_MS)) return
    const fault = pick(['dead', 'busy', 'page', 'stuck', 'slow'] as const)
    if (fault === 'slow') node.delayMs = SLOW_MS
    else node.fault = fault
    await pause(random() * 250)
    Object.assign(node, { fault: 'none', delayMs: FAST_MS })
  }
  let asked = 0
  const runLane = async (lane: number, times: number, ask: (lane: number) => Promise<void>): Promise<void> => {
    while (asked < times) {
      asked += 1
      if (asked % 20 === 0) accept()
      if (asked % 60 === 0) void fail()
      await ask(lane)
    }
  }
  return {
    nodes,
    random,
    report,
    told: { ...first },
    run: async (times, ask) => {
      await Promise.all(Array.from({ length: LANES }, (_, lane) => runLane(lane, times, ask)))
    },
  }
}

/** What a failing node says at once, instead of its answer. */
export function failureOf({ fault }: MovingNode): 'cut' | { status: number; body: string } | undefined {
  if (fault === 'dead') return 'cut'
  if (fault === 'busy') return { status: 503, body: 'no' }
  return fault === 'page' ? { status: 200, body: '<html>' } : undefined
}

/** An answer is computed when its question arrives and comes later, as a node's does. */
export const later = ({ delayMs }: MovingNode): Promise<void> => pause(Math.random() * delayMs)

/** Notes an answer: why it is wrong, if it is, and the block that it shows. */
export function noteAnswer(
  { report, told, isApart }: MovingNodes,
  { isError, fault, chain, shows }: { isError: boolean; fault?: string | undefined; chain: string; shows?: unknown },
): void {
  report[isError ? 'errors' : 'answered'] += 1
  if (fault) report.wrong.push(fault)
  const raise = (): void => {
    told[chain] = Math.max(told[chain] ?? 0, Number(shows) || 0)
  }
  // Two turns: one in which what waits at the sockets is read.
  if (isApart) setImmediate(() => setImmediate(raise))
  else raise()
}
