import { LRUCache } from 'lru-cache'
import { BadInputError } from '../../../errors.ts'
import { roomFor } from '../../../lib/room-for.ts'
import { TransientMap } from '../../../lib/transient-map.ts'
import { inTurns } from '../../../lib/waiting/in-turns.ts'
import { type SharedWork, shareWork } from '../../../lib/waiting/shared-work.ts'
import type { CallOptions } from '../../../upstream/types.ts'
import type { OwnAddresses } from '../balances/own-address.ts'
import { createRecentStamps } from '../balances/recent-stamps.ts'
import type { UnitState } from '../balances/unit-reader.ts'
import type { AvalancheNetwork } from '../network.ts'
import { withLateDeadline } from '../node/late-deadline.ts'
import { createDerivedAddresses, MAX_END } from './derived-addresses.ts'
import { createEarlierUse, type EverUsed } from './earlier-use.ts'
import { plainExtendedKey } from './extended-key.ts'
import { type KeyChain, type ScanReading, type ScanWindow, scanKeys } from './key-scan.ts'
import { scanMark } from './scan-mark.ts'
import { type ItemPack, packItems, type ScanItem } from './scan-packs.ts'
import { type LastUsed, windowEnd } from './scan-progress.ts'

/** A wallet with keys. */
export interface KeyWallet {
  extendedPublicKeys: readonly string[]
  /** Its single addresses. */
  addresses: OwnAddresses
}

/** Windows looked at in one turn, each of up to 1,024 addresses: a millisecond or two; then other work gets a turn. */
export const WINDOWS_PER_TURN = 4

/** Some of a wallet's addresses (hex) with what they own; the states also hold what belongs to others. */
export interface OwnedWindow {
  addresses: readonly string[]
  P: UnitState
  X: UnitState
}

export interface KeyScanner {
  /**
   * Starts reading wallets. P and X requests for the same wallets at the same time share the work. Everything of one
   * wallet comes from one state of P and one of X. Returns one promise per wallet, in order; it rejects with
   * BadInputError when one of the keys is not valid, or with the reason why the node could not be read.
   */
  scan(wallets: readonly KeyWallet[], call: CallOptions): Promise<readonly OwnedWindow[]>[]
}

export interface KeyScannerDeps {
  network: AvalancheNetwork
  /** Unused addresses in a row that end the scan of a branch, 20 to 100; default 50. */
  gap?: number
  /** What our own index knows of addresses. */
  everUsed?: EverUsed | undefined
  /** Addresses of a branch that are read at most; for tests. */
  maxEnd?: number
}

type Scan = SharedWork<ScanReading>

/** A scan under way: its work, what it reads, and the call that started it. */
interface Running {
  work: Scan
  marks: readonly string[]
  call: CallOptions
}

const DEFAULT_GAP = 50
/** Keys whose used ranges are remembered: their next scan takes one window, and an emptied range stays covered. */
const REMEMBERED_KEYS = 50_000
/** Packs of one call that are read at the same time: bounds memory for the largest requests. */
const CONCURRENT_PACKS = 12
/** A caller does not join a scan whose deadline is earlier than its own by more than this, milliseconds. */
const TOO_EARLY_MS = 2_000
/** Remembered wallets that took several calls, so that their next scan asks for the height first. */
const REMEMBERED_LONG = 10_000

/**
 * Scans the external and internal branch of account-level keys in windows. An address is in use when it has a UTXO, a
 * stake or something in shared memory on P or X. A node does not show emptied addresses, hence the generous gap; our
 * own index knows them. Single addresses of a wallet with keys are read in the same calls: in separate calls they would
 * be read in another state, and a coin moving between the two would be counted twice or not at all.
 */
export function createKeyScanner({
  network,
  gap = DEFAULT_GAP,
  everUsed,
  maxEnd = MAX_END,
}: KeyScannerDeps): KeyScanner {
  const derived = createDerivedAddresses()
  const remembered = new LRUCache<string, LastUsed>(roomFor(REMEMBERED_KEYS))
  const long = new LRUCache<string, readonly KeyChain[]>(roomFor(REMEMBERED_LONG))
  const recent = createRecentStamps()
  const known = (key: string): LastUsed | undefined => remembered.get(key)
  const deps = { network, derived, gap, maxEnd, remembered: known }
  const running = new TransientMap<string, Running>()
  const remember = (key: string, [external, internal]: LastUsed): void => {
    const [e, i] = known(key) ?? [-1, -1]
    remembered.set(key, [Math.max(e, external), Math.max(i, internal)])
  }
  const learn = everUsed && createEarlierUse({ derived, everUsed, gap, known, found: remember })

  /** @returns resolves when the pack was read or given up */
  const startPack = (pack: ItemPack, turn: Promise<void> | undefined, call: CallOptions): Promise<void> => {
    const marks = pack.items.map(({ mark }) => mark)
    let end = (): void => {}
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    const work = shareWork(async (signal) => {
      const own = withLateDeadline(call, { signal })
      try {
        await turn
        if (learn) await learn(pack.keys, (await network.facts(own)).hrp, signal)
        const expectMany = marks.flatMap((mark) => long.get(mark) ?? [])
        const together = marks.join('\n')
        const reading = await scanKeys(deps, pack, expectMany, recent.of(together), own)
        recent.keep(together, reading.stamp)
        for (const [key, lastUsed] of reading.lastUsed) remember(key, lastUsed)
        for (const mark of marks) {
          if (reading.manyCalls.length > 0) long.set(mark, reading.manyCalls)
          else long.delete(mark)
        }
        return reading
      } finally {
        for (const mark of marks) if (running.get(mark)?.work === work) running.delete(mark)
        end()
      }
    })
    for (const mark of marks) running.set(mark, { work, marks, call })
    return ended
  }

  return {
    scan(wallets, call) {
      const items = wallets.map(itemOf)
      const asked = new Set(items.flatMap((item) => (item instanceof Error ? [] : [item.mark])))
      const fresh = new Map<string, ScanItem>()
      for (const item of items) {
        if (!(item instanceof Error) && !mayJoin(running.get(item.mark), asked, call)) fresh.set(item.mark, item)
      }
      const ends: Promise<void>[] = []
      for (const pack of packItems([...fresh.values()], (key) => firstWindow(remembered.get(key), gap)))
        ends.push(startPack(pack, ends.at(-CONCURRENT_PACKS), call))
      // One pack is one work: joining it once per call lets it end when all callers have left.
      const joined = new Map<Scan, Promise<ScanReading>>()
      return items.map(async (item) => {
        if (item instanceof Error) throw item
        const { work } = running.get(item.mark) as Running
        const reading = joined.get(work) ?? work.join(call.signal)
        joined.set(work, reading)
        return ownedBy(item, await reading)
      })
    },
  }
}

/**
 * Whether a call may wait for a running scan: the scan must read nothing beyond what this call asks for, and have as
 * much time. Otherwise a stranger could delay any key by scanning it with a thousand others.
 */
function mayJoin(running: Running | undefined, asked: ReadonlySet<string>, call: CallOptions): boolean {
  if (!running || running.work.abandoned() || !running.marks.every((mark) => asked.has(mark))) return false
  const { deadline = Number.POSITIVE_INFINITY } = running.call
  return deadline >= (call.deadline ?? 0) - TOO_EARLY_MS
}

/** Two texts may represent one key, and an address has only one place in a scan. */
function itemOf({ extendedPublicKeys, addresses }: KeyWallet): ScanItem | Error {
  try {
    const keys = [...new Set(extendedPublicKeys.map(plainExtendedKey))].sort()
    return { mark: scanMark(keys, addresses.list), keys, addresses }
  } catch (error) {
    return error as Error
  }
}

async function ownedBy({ keys, addresses }: ScanItem, { windows, tooLong }: ScanReading): Promise<OwnedWindow[]> {
  if (keys.some((key) => tooLong.has(key)))
    throw new BadInputError(`the extended public key uses more than ${MAX_END} addresses`)
  const { hexes } = addresses
  const ownIn = (window: ScanWindow): readonly string[] => {
    if (window.key !== undefined && keys.includes(window.key)) return window.addresses
    return hexes.size === 0 ? [] : window.addresses.filter((hex) => hexes.has(hex))
  }
  const owned: OwnedWindow[] = []
  await inTurns(windows, WINDOWS_PER_TURN, (window) => {
    const own = ownIn(window)
    if (own.length > 0) owned.push({ addresses: own, P: window.P, X: window.X })
  })
  return owned
}

/** Addresses of both branches in the first window of a key. */
function firstWindow(lastUsed: LastUsed | undefined, gap: number): number {
  const [external, internal] = lastUsed ?? [-1, -1]
  return windowEnd(external, gap) + windowEnd(internal, gap)
}
