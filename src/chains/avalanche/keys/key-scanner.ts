import { LRUCache } from 'lru-cache'
import type { CallOptions } from '../../../upstream/types.ts'
import type { AvalancheNetwork } from '../network.ts'
import { MAX_UTXO_ADDRESSES } from '../node/utxos.ts'
import { type SharedWork, shareWork } from '../shared-work.ts'
import { createDerivedAddresses } from './derived-addresses.ts'
import { plainExtendedKey } from './extended-key.ts'
import { type KeyReading, scanKeys } from './key-scan.ts'
import { type LastUsed, windowEnd } from './scan-progress.ts'

export interface KeyScanner {
  /**
   * Starts reading the given keys; P and X asked at the same time share the work. Each key's promise rejects with
   * BadInputError when the key is not valid, or with why the node could not be read.
   */
  scan(keys: Iterable<string>, call: CallOptions): Map<string, Promise<KeyReading>>
}

export interface KeyScannerDeps {
  network: AvalancheNetwork
  /** Unused addresses in a row that end the scan of a branch, 20 to 100; default 50. */
  gap?: number
}

/** Several keys read together. */
type Scan = SharedWork<Map<string, KeyReading>>

const DEFAULT_GAP = 50
/** Keys whose used ranges are remembered: their next scan takes one window, and an emptied range stays covered. */
const REMEMBERED_KEYS = 50_000

/**
 * Scans the external and internal branch of account-level keys in windows. An address is in use when it has a UTXO, a
 * stake or something in shared memory on P or X: addresses that only ever sent cannot be seen on a node, hence the
 * generous gap.
 */
export function createKeyScanner({ network, gap = DEFAULT_GAP }: KeyScannerDeps): KeyScanner {
  const derived = createDerivedAddresses()
  const remembered = new LRUCache<string, LastUsed>({ max: REMEMBERED_KEYS })
  const deps = { network, derived, gap, remembered: (key: string) => remembered.get(key) }
  const running = new Map<string, Scan>()

  const startPack = (keys: readonly string[], call: CallOptions) => {
    const work = shareWork(async (signal) => {
      try {
        const readings = await scanKeys(deps, keys, { ...call, signal })
        for (const [key, { lastUsed }] of readings) remembered.set(key, lastUsed)
        return readings
      } finally {
        for (const key of keys) if (running.get(key) === work) running.delete(key)
      }
    })
    for (const key of keys) running.set(key, work)
  }

  return {
    scan(keys, { signal, ...call }) {
      const { texts, readings } = checkKeys(keys)
      const fresh = [...texts.keys()].filter((key) => running.get(key)?.abandoned() !== false)
      for (const pack of packKeys(fresh, (key) => firstWindow(remembered.get(key), gap))) startPack(pack, call)
      // One pack is one work: joining it once per call lets it end when all callers have left.
      const joined = new Map<Scan, Promise<Map<string, KeyReading>>>()
      for (const [key, written] of texts) {
        const work = running.get(key)
        if (!work) continue
        const pack = joined.get(work) ?? work.join(signal)
        joined.set(work, pack)
        const reading = pack.then((all) => all.get(key) as KeyReading)
        for (const text of written) readings.set(text, reading)
      }
      return readings
    },
  }
}

/**
 * The texts of each valid key, by the one text that all of its texts stand for: an address has one place in a scan. And
 * readings that have failed already for the others.
 */
function checkKeys(keys: Iterable<string>) {
  const texts = new Map<string, string[]>()
  const readings = new Map<string, Promise<KeyReading>>()
  for (const text of new Set(keys)) {
    try {
      const key = plainExtendedKey(text)
      const written = texts.get(key)
      if (written) written.push(text)
      else texts.set(key, [text])
    } catch (error) {
      readings.set(text, Promise.reject(error))
    }
  }
  return { texts, readings }
}

/** Addresses of both branches that a first window of a key asks for. */
function firstWindow(lastUsed: LastUsed | undefined, gap: number): number {
  const [external, internal] = lastUsed ?? [-1, -1]
  return windowEnd(external, gap) + windowEnd(internal, gap)
}

/** Puts keys together as long as their first windows fit into one getUTXOs. */
function packKeys(keys: readonly string[], sizeOf: (key: string) => number): string[][] {
  const packs: string[][] = []
  let room = 0
  for (const key of keys) {
    const size = sizeOf(key)
    const pack = packs.at(-1)
    if (pack && size <= room) {
      pack.push(key)
      room -= size
    } else {
      packs.push([key])
      room = MAX_UTXO_ADDRESSES - size
    }
  }
  return packs
}
