import { describe, expect, it } from 'vitest'
import { encodeUtxo, type Utxo } from '../../../src/chains/avalanche/codec/index.ts'
import { BadAnswerError, UpstreamUnavailableError } from '../../../src/errors.ts'
import { formatBech32Address } from '../../../src/lib/bytes/bech32-address.ts'
import { idToCb58 } from '../../../src/lib/bytes/ids.ts'
import { encodeNodeHex } from '../../../src/lib/bytes/node-hex.ts'
import { type Ask, composePlatformBalance } from '../../../src/services/node-fallbacks/index.ts'

const AVAX = 'a'.repeat(64)
const OTHER = 'b'.repeat(64)
const NOW = 1_000n
const MAX = 18_446_744_073_709_551_615n

const transfer = (amount: bigint, locktime = 0n) => ({
  type: 'secp-transfer' as const,
  amount,
  locktime,
  threshold: 1,
  addresses: [],
})
const stakeable = (locktime: bigint, output: ReturnType<typeof transfer>) => ({
  type: 'stakeable-lock' as const,
  locktime,
  output,
})
let count = 0
const utxo = (output: Utxo['output'], assetId = AVAX): Utxo => ({
  txId: (count++).toString(16).padStart(64, '0'),
  outputIndex: 1,
  assetId,
  output,
})

interface Script {
  pages: Utxo[][]
  asked: Record<string, unknown>[]
}

/** A node whose pages a test decides. */
const nodeOf =
  (script: Script): Ask =>
  async (method, params) => {
    if (method === 'platform.getStakingAssetID') return JSON.stringify({ assetID: idToCb58(AVAX) })
    const page = script.pages[script.asked.length % script.pages.length] ?? []
    script.asked.push(params)
    return JSON.stringify({
      numFetched: String(page.length),
      utxos: page.map((one) => encodeNodeHex(encodeUtxo(one))),
      endIndex: { address: 'P-fuji1x', utxo: idToCb58((page.at(-1)?.txId ?? '').padStart(64, 'f')) },
      encoding: 'hex',
    })
  }
const compose = (script: Script) => composePlatformBalance(nodeOf(script), ['P-fuji1a'], NOW)
const full = () => Array.from({ length: 1_024 }, () => utxo(transfer(1n)))

describe('platform.getBalance, composed', () => {
  it('sorts amounts by their locks as nodes do', async () => {
    const utxos = [
      utxo(transfer(1n)),
      utxo(transfer(10n, NOW)),
      utxo(transfer(100n, NOW + 1n)),
      utxo(stakeable(NOW, transfer(1_000n))),
      utxo(stakeable(NOW + 1n, transfer(10_000n))),
      utxo(stakeable(NOW + 1n, transfer(100_000n, NOW + 1n))),
      utxo(stakeable(0n, transfer(1_000_000n, NOW + 1n))),
      utxo(stakeable(NOW + 1n, transfer(10_000_000n, NOW))),
      utxo(transfer(5n), OTHER),
    ]
    const balance = await compose({ pages: [utxos], asked: [] })
    expect(balance).toMatchObject({
      balance: '11111111',
      unlocked: '1011',
      lockedStakeable: '10010000',
      lockedNotStakeable: '1100100',
      unlockeds: { [idToCb58(AVAX)]: '1011', [idToCb58(OTHER)]: '5' },
    })
    expect(balance['utxoIDs']).toHaveLength(9)
    expect(Object.keys(balance['balances'] as object)).toEqual([idToCb58(AVAX), idToCb58(OTHER)].sort())
  })

  it('stays at the most that 64 bits hold, as nodes do', async () => {
    const balance = await compose({ pages: [[utxo(transfer(MAX)), utxo(transfer(1n))]], asked: [] })
    expect(balance['balance']).toBe(String(MAX))
  })

  it('counts no output beside what came of it, where it was spent between two pages', async () => {
    const [spent, change] = [utxo(transfer(1_000n)), utxo(transfer(900n))]
    const others = full()
    // A node lists what stays at its place, and has another output behind the page for the one that is gone.
    const [first, behind] = [others.slice(0, -1), others.slice(-1)]
    const now = [[...first, ...behind], [change]]
    const script: Script = { pages: [[...first, spent], [...behind, change], ...now, ...now], asked: [] }
    expect((await compose(script))['balance']).toBe(String(1_024 + 900))
    expect(script.asked).toHaveLength(6)
    expect(script.asked[1]).toMatchObject({ startIndex: { address: 'P-fuji1x' } })
  })

  it('asks once more for what takes several pages, and once for one page', async () => {
    const script: Script = { pages: [full(), [utxo(transfer(1n))]], asked: [] }
    expect((await compose(script))['balance']).toBe('1025')
    expect(script.asked).toHaveLength(4)
    const short: Script = { pages: [[utxo(transfer(1n))]], asked: [] }
    await compose(short)
    expect(short.asked).toHaveLength(1)
  })

  it('asks for more addresses than a node takes at once in the order in which a node lists them', async () => {
    const addressOf = (at: number): string => {
      const bytes = Buffer.alloc(20)
      bytes.writeUInt16BE(at)
      return `P-${formatBech32Address(bytes, 'fuji')}`
    }
    const ascending = Array.from({ length: 1_025 }, (_, at) => addressOf(at))
    const script: Script = { pages: [[utxo(transfer(1n))]], asked: [] }
    await composePlatformBalance(nodeOf(script), ascending.toReversed(), NOW)
    expect(script.asked.slice(0, 2).map(({ addresses }) => addresses)).toEqual([
      ascending.slice(0, 1_024),
      ascending.slice(1_024),
    ])
  })

  it('gives up rather than add up what never was at one time', async () => {
    const pages = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? full() : [utxo(transfer(1n))]))
    await expect(compose({ pages, asked: [] })).rejects.toThrow(UpstreamUnavailableError)
  })

  it('does not take a page that was cut for a smaller balance', async () => {
    const cut: Ask = async (method, params) =>
      (await nodeOf({ pages: [[utxo(transfer(1n))]], asked: [] })(method, params)).replace('"1"', '"2"')
    await expect(composePlatformBalance(cut, ['P-fuji1a'], NOW)).rejects.toThrow(BadAnswerError)
  })

  it('does not turn in circles', async () => {
    const page = full()
    await expect(compose({ pages: [page], asked: [] })).rejects.toThrow('a full page ends where it began')
  })
})
