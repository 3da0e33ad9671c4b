import { expect, onTestFinished, test } from 'vitest'
import { createDerivedAddresses } from '../../../../src/chains/avalanche/keys/derived-addresses.ts'
import { formatBech32Address } from '../../../../src/lib/bytes/bech32-address.ts'
import { hexToBytes } from '../../../../src/lib/bytes/ids.ts'
import { secpUtxo } from '../ledger-data.ts'
import type { LedgerCall } from '../ledger-node.ts'
import { useLedger } from '../ledger-sources.ts'

const KEY =
  'xpub6C4hsnHd2ktwJuqQ97DctTDFheXRxBLG7NNGMLNySiLaYR952BbNpDTBqiv6TvCTbTUwnjdzMVRruBp6TbVutVN2xY8aEopGtwroK6HEooK'
const OWNER = '11'.repeat(20)

const { node, put, sources } = useLedger()

/** Long enough for a slow machine to come to the call that takes longer. */
const FIRST_MS = 4_000

/**
 * A reading whose deadline comes to lie later once `hasBegun` was asked, as where this process was busy, and whose node
 * answers `late` after the first one.
 */
function startReading(hasBegun: (call: LedgerCall) => boolean, late: (call: LedgerCall) => boolean) {
  const first = Date.now() + FIRST_MS
  let deadline = first
  node().before = async (call) => {
    if (hasBegun(call)) deadline = first + 30_000
    if (late(call)) await new Promise((resolve) => setTimeout(resolve, Math.max(0, first + 300 - Date.now())))
    return undefined
  }
  onTestFinished(() => {
    node().before = () => undefined
  })
  return {
    signal: new AbortController().signal,
    get deadline() {
      return deadline
    },
  }
}

test('what an extended key has in later windows is read until the deadline as it lies by then', async () => {
  const derived = createDerivedAddresses()
  const [used, behind] = await Promise.all([100, 300].map((at) => derived.range(KEY, 0, at, at + 1, 'fuji')))
  const [first, second] = [used?.[0], behind?.[0]]
  if (!first || !second) throw new Error('no address')
  put('P', secpUtxo(first.hex, 1n), secpUtxo(second.hex, 10n))
  const names = ({ params }: LedgerCall, text: string): boolean =>
    ((params['addresses'] as string[] | undefined) ?? []).includes(`P-${text}`)
  const context = startReading(
    (call) => names(call, first.text),
    (call) => names(call, second.text),
  )
  const account = { id: 'w', addresses: [], extendedPublicKeys: [KEY], filterOutDust: false }
  const outcome = (await sources().pvm.readBalances([account], context)).get('w')
  expect(outcome).toMatchObject({ ok: true, value: { native: 11n } })
})

test('later pages of what X has exported to P are read until the deadline as it lies by then', async () => {
  const address = formatBech32Address(hexToBytes(OWNER), 'fuji')
  put('P←X', ...Array.from({ length: 1_030 }, () => secpUtxo(OWNER, 1n)))
  const isPage = ({ params }: LedgerCall, hasStart: boolean): boolean =>
    params['sourceChain'] === 'X' && (params['startIndex'] !== undefined) === hasStart
  let firstPages = 0
  const context = startReading(
    (call) => isPage(call, false) && ++firstPages > 1,
    (call) => isPage(call, true),
  )
  const account = { id: 'w', addresses: [address], extendedPublicKeys: [], filterOutDust: false }
  const outcome = (await sources().pvm.readBalances([account], context)).get('w')
  expect(outcome).toMatchObject({ ok: true, value: { atomicMemoryUnlocked: {} } })
  // Once until it was known that there are several, and once for all of them.
  expect(firstPages).toBe(2)
})
