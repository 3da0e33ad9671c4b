import { rawMembers } from '../wire/go-json.ts'
import type { Recordings } from './recordings.ts'

export type ChainName = 'P' | 'X' | 'C' | 'L1'
export type Heights = Record<ChainName, number>

/** Where each recorded chain stands; it can stop before its end and be moved on. */
export interface ChainTips {
  /** The last accepted height that is served: the tip less the blocks the node lags behind. */
  height(chain: ChainName): number
  /** Heights of the chains' ends in the recordings. */
  readonly last: Heights
  current(): Heights
  /** Sets the tips that are named, within the recorded range. */
  moveTo(heights: Partial<Heights>): void
  /** Accepts the next blocks in the order the recorded node accepted them. Returns the chains that moved. */
  advance(blocks?: number): ChainName[]
  readonly lagBlocks: number
  setLag(blocks: number): void
  onMove(listener: () => void): void
}

const FILES: Record<ChainName, string> = {
  P: 'network/p-blocks.ndjson.gz',
  X: 'network/x-blocks.ndjson.gz',
  C: 'network/c-blocks.ndjson.gz',
  L1: 'l1/l1-blocks.ndjson.gz',
}

const CHAINS: readonly ChainName[] = ['P', 'X', 'C', 'L1']

/** The file with a chain's blocks, one line a height from 0 on. */
export function blockFile(chain: ChainName): string {
  return FILES[chain]
}

function acceptedAt(line: string, chain: ChainName): number {
  if (chain === 'L1') {
    const block = JSON.parse(line) as { block: { timestampMilliseconds?: string; timestamp: string } }
    const milliseconds = block.block.timestampMilliseconds
    return milliseconds === undefined ? Number(block.block.timestamp) * 1000 : Number(milliseconds)
  }
  const container = new Map(rawMembers(line)).get('container') ?? 'null'
  const parsed = JSON.parse(container) as { timestamp: string } | null
  return parsed === null ? 0 : Date.parse(parsed.timestamp)
}

/** Unix milliseconds a block was accepted at, read once. */
function createTimes(recordings: Recordings): (chain: ChainName, height: number) => number {
  const times = new Map<string, number>()
  return (chain, height) => {
    const key = `${chain}${height}`
    const time = times.get(key) ?? acceptedAt(recordings.lines(FILES[chain]).text(height), chain)
    times.set(key, time)
    return time
  }
}

function lastHeights(recordings: Recordings): Heights {
  const last = (chain: ChainName): number => Math.max(recordings.lines(FILES[chain]).length - 1, 0)
  return { P: last('P'), X: last('X'), C: last('C'), L1: last('L1') }
}

export function createChainTips(recordings: Recordings, upTo: Partial<Heights>): ChainTips {
  const last = lastHeights(recordings)
  const tips: Heights = { ...last }
  const timeOf = createTimes(recordings)
  const listeners: (() => void)[] = []
  let lag = 0
  const moved = (): void => {
    for (const listener of listeners) listener()
  }
  const moveTo = (heights: Partial<Heights>): void => {
    for (const chain of CHAINS) tips[chain] = Math.min(Math.max(heights[chain] ?? tips[chain], 0), last[chain])
    moved()
  }
  const next = (): ChainName | undefined => {
    const open = CHAINS.filter((chain) => tips[chain] < last[chain])
    return open.sort((a, b) => timeOf(a, tips[a] + 1) - timeOf(b, tips[b] + 1))[0]
  }
  const advance = (blocks = 1): ChainName[] => {
    const chains: ChainName[] = []
    for (let chain = next(); chain !== undefined && chains.length < blocks; chain = next()) {
      tips[chain]++
      chains.push(chain)
    }
    if (chains.length > 0) moved()
    return chains
  }
  moveTo(upTo)
  return {
    last,
    height: (chain) => Math.max(tips[chain] - lag, 0),
    current: () => ({ ...tips }),
    moveTo,
    advance,
    get lagBlocks() {
      return lag
    },
    setLag(blocks) {
      lag = blocks
      moved()
    },
    onMove: (listener) => listeners.push(listener),
  }
}
