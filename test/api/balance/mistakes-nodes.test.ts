import { HDKey } from '@scure/bip32'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { formatBech32Address } from '../../../src/lib/bytes/bech32-address.ts'
import { expectedPvm } from '../../chains/avalanche/expected-balances.ts'
import { emptyLedger, secpUtxo, stakerOf } from '../../chains/avalanche/ledger-data.ts'
import { type LedgerNode, startLedgerNode } from '../../chains/avalanche/ledger-node.ts'
import { hex, text } from '../../chains/avalanche/ledger-sources.ts'
import { type SandboxAvalanche, startSandboxAvalanche } from '../../sandbox/avalanche-network.ts'
import { ask as askServer, type WireItem } from '../../support/balances/balance-api.ts'
import { createStage, type Stage } from '../../support/server/stage.ts'

/** What a naive server gets wrong, by the numbers under which the field knows it: reading a node. */

const P = 'Sj7NVE3jXTbJvwFAiu7OEUo_8g8ctXMG'
const X = '8AJTpRj3SAqv1e80Mtl9em08LhvKEbkl'
const C = 'YRLfeDBJpfEqUWe2FYR1OpXsnDDZeKWd'
/** Account 0, m/44'/9000'/0', of the mnemonic «test … junk». */
const XPUB =
  'xpub6C4hsnHd2ktwJuqQ97DctTDFheXRxBLG7NNGMLNySiLaYR952BbNpDTBqiv6TvCTbTUwnjdzMVRruBp6TbVutVN2xY8aEopGtwroK6HEooK'
const NOW = Math.floor(Date.now() / 1000)
const DAY = 86_400

const stage = createStage()
let recorded: SandboxAvalanche
let recordedUrl: string
let ledger: LedgerNode
let ledgerUrl: string

const serve = async (on: Stage, nodeUrl: string) =>
  (await on.serve({ chains: { avalanche: { testnet: { name: 'N', upstreams: [{ url: nodeUrl }] } } } })).url
beforeAll(async () => {
  recorded = await startSandboxAvalanche()
  recordedUrl = await serve(stage, recorded.url)
})
beforeEach(async () => {
  const own = createStage()
  ledger = await startLedgerNode(emptyLedger())
  ledgerUrl = await serve(own, ledger.url)
  return async () => {
    await own.clear()
    await ledger.close()
  }
})
afterAll(async () => {
  await stage.clear()
  await recorded?.stop()
})

const put = (memory: string, ...utxos: string[]): void => {
  ledger.ledger.memories.set(memory, utxos)
  ledger.reindex()
}
const ask = async (at: string, ...data: object[]): Promise<WireItem[]> => {
  const items = await askServer(at, { data })
  expect(items.filter(({ error }) => error !== null)).toEqual([])
  return items
}
const wallet = (addresses: string[], references = [P]) => ({
  namespace: 'avax',
  references,
  addressDetails: [{ id: 'w', addresses }],
})
const nativeOn = (items: readonly WireItem[], networkType: string): string | undefined =>
  items.find((item) => item.networkType === networkType)?.balances.nativeTokenBalance.balance
const categoriesOf = (items: readonly WireItem[]) => items[0]?.balances.categories

describe('does not make the mistake', () => {
  it("20: only external addresses, too small a gap, or the wrong level of a wallet's key", async () => {
    const ownerAt = (branch: number, index: number): string => {
      const { pubKeyHash } = HDKey.fromExtendedKey(XPUB).deriveChild(branch).deriveChild(index)
      return Buffer.from(pubKeyHash as Uint8Array).toString('hex')
    }
    // Published vectors say that this is the right level.
    expect(formatBech32Address(Buffer.from(ownerAt(0, 0), 'hex'), 'avax')).toBe(
      'avax1yljhuvjkmtu0y5ls6kf4exsdd8gea9mp8jd32r',
    )
    expect(formatBech32Address(Buffer.from(ownerAt(1, 0), 'hex'), 'avax')).toBe(
      'avax1k8xj8vxt3t6p30umu9kl0msfep5nwpthexjw6v',
    )
    const utxos = [ownerAt(0, 0), ownerAt(0, 49), ownerAt(1, 0), ownerAt(1, 49)]
    put('P', ...utxos.map((owner, at) => secpUtxo(owner, 10n ** BigInt(at) * 2_000_000n)))
    put('X', secpUtxo(ownerAt(1, 7), 7n))
    const key = { extendedPublicKeyDetails: [{ id: 'w', extendedPublicKey: XPUB }] }
    const items = await ask(ledgerUrl, { namespace: 'avax', references: [P, X], ...key })
    expect(nativeOn(items, 'pvm')).toBe(`${1_111n * 2_000_000n}`)
    expect(nativeOn(items, 'avm')).toBe('7')
    const refused = await fetch(`${ledgerUrl}/v1/balance/get-balances`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ data: [{ namespace: 'avax', references: [C], ...key }] }),
    })
    expect(refused.status).toBe(400)
  })

  it('21: one page only, repeated UTXOs counted again, more addresses than the node takes', async () => {
    const owners = Array.from({ length: 1_000 }, (_, at) => at + 1)
    const utxos = owners.map((n) => secpUtxo([hex(n), hex(1_001 - n)], 3_000_000n))
    put('P', ...utxos, ...owners.slice(0, 500).map((n) => secpUtxo(hex(n), 2_000_000n)))
    const outputs = [{ owners: [hex(1), hex(300), hex(999)], amount: 5n }]
    ledger.ledger.stakers.push(stakerOf({ endTime: NOW + DAY, outputs }))
    const items = await ask(ledgerUrl, wallet(owners.map((n) => text(n))))
    expect(nativeOn(items, 'pvm')).toBe(`${1_000n * 3_000_000n + 500n * 2_000_000n + 5n}`)
    const sizes = (method: string) =>
      ledger.calls
        .filter((call) => call.method === method)
        .map(({ params }) => (params['addresses'] as unknown[]).length)
    expect(Math.max(...sizes('platform.getStake'))).toBe(256)
    expect(Math.max(...sizes('platform.getUTXOs'))).toBeLessThanOrEqual(1_024)
  })

  it('21: a recorded wallet of more than one page', async () => {
    const address = recorded.wallets.find(({ has }) => has.includes('more than one page'))?.address as string
    const moment = { heights: recorded.node.heights(), now: NOW }
    const { native } = expectedPvm(address, true, moment)
    expect(nativeOn(await ask(recordedUrl, wallet([address])), 'pvm')).toBe(`${native}`)
  })

  it('22: stakes judged by their lock today instead of after their end', async () => {
    const stake = (amount: bigint, endTime: number, stakeableUntil?: number) =>
      stakerOf({
        endTime,
        outputs: [
          {
            owners: [hex(1)],
            amount,
            ...(stakeableUntil === undefined ? {} : { stakeableUntil: BigInt(stakeableUntil) }),
          },
        ],
      })
    ledger.ledger.stakers.push(
      stake(1n, NOW + 10 * DAY),
      stake(10n, NOW + 10 * DAY, NOW + 20 * DAY),
      stake(100n, NOW + 10 * DAY, NOW + 5 * DAY),
      stake(1_000n, NOW + 10 * DAY, NOW - DAY),
    )
    const categories = categoriesOf(await ask(ledgerUrl, wallet([text(1)])))
    expect(categories).toMatchObject({ lockedStaked: '10', unlockedStaked: '1101' })
  })

  it('23: rewards that a running stake may bring counted as if they were there', async () => {
    const outputs = [{ owners: [hex(1)], amount: 25n }]
    const extra = { potentialReward: '1000000', delegationFee: '2.0000', rewardOwner: { addresses: [] } }
    const nodeId = 'NodeID-1'
    ledger.ledger.stakers.push(
      stakerOf({ endTime: NOW + DAY, nodeId, outputs: [{ owners: [hex(2)], amount: 2_000n }], extra }),
      stakerOf({ endTime: NOW + DAY, nodeId, kind: 'delegator', outputs, extra }),
    )
    const items = await ask(ledgerUrl, wallet([text(1)]))
    expect(nativeOn(items, 'pvm')).toBe('25')
    expect(categoriesOf(items)).toMatchObject({ unlockedStaked: '25', restakedRewards: '0' })
  })

  it('24: answers kept for long, or asked of the node for every poll', async () => {
    const polled = wallet([text(1)], [P])
    put('P', secpUtxo(hex(1), 3_000_000n))
    const polls = await Promise.all(Array.from({ length: 20 }, () => ask(ledgerUrl, polled)))
    expect(new Set(polls.map((items) => nativeOn(items, 'pvm')))).toEqual(new Set(['3000000']))
    const reads = () => ledger.calls.filter(({ method }) => method === 'platform.getUTXOs').length
    // One for the chain itself, twice for what is new, and one for each chain whose empty shared memory it imports from.
    expect(reads()).toBe(4)
    put('P', secpUtxo(hex(1), 5_000_000n))
    const seen = async () => nativeOn(await ask(ledgerUrl, polled), 'pvm')
    await expect.poll(seen, { timeout: 5_000, interval: 200 }).toBe('5000000')
  })
})
