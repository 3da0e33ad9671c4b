import { describe, expect, test } from 'vitest'
import { idToCb58 } from '../../../../src/lib/bytes/ids.ts'
import { AVAX, CHAIN_IDS, secpUtxo, utxoOf } from '../ledger-data.ts'
import { context, hex, natives, text, useLedger, wallet } from '../ledger-sources.ts'

const { node, put, sources } = useLedger()
const TOKEN = 'bb'.repeat(32)

describe('one read for all wallets', () => {
  test('takes four calls on P, two more where it is new, three on X, two for C, and no height', async () => {
    const { pvm, avm, coreth } = sources()
    const wallets = Array.from({ length: 50 }, (_, index) => wallet(`w${index}`, text(index), text(index + 1)))
    await pvm.readBalances([wallet('first', text(1))], context())
    for (const [source, expected] of [
      [pvm, 6],
      [pvm, 4],
      [avm, 3],
      [coreth, 2],
    ] as const) {
      node().calls.length = 0
      expect((await source.readBalances(wallets, context())).size).toBe(50)
      expect(node().calls.length).toBe(expected)
    }
  })

  test('what several wallets own counts in each, what a wallet lists twice counts once', async () => {
    put('P', secpUtxo(hex(1), 1n), secpUtxo([hex(1), hex(2)], 10n, { threshold: 2 }), secpUtxo([hex(2), hex(3)], 100n))
    const both = wallet('both', text(1), text(2), text(1), text(1, 'avax'))
    const outcomes = await sources().pvm.readBalances(
      [wallet('one', text(1)), both, wallet('three', text(3))],
      context(),
    )
    expect(natives(outcomes)).toEqual({ one: 11n, both: 111n, three: 100n })
  })

  test('a wallet owns nothing of another, also behind one that brings no address of its own', async () => {
    for (const chain of ['P', 'X'] as const)
      put(chain, secpUtxo(hex(1), 1n), secpUtxo(hex(2), 10n), secpUtxo(hex(3), 100n), secpUtxo(hex(4), 1_000n))
    const { pvm, avm } = sources()
    const wallets = [
      wallet('first', text(1), text(2)),
      wallet('within', text(2)),
      wallet('other', text(3)),
      wallet('last', text(4)),
    ]
    const expected = { first: 11n, within: 10n, other: 100n, last: 1_000n }
    expect(natives(await pvm.readBalances(wallets, context()))).toEqual(expected)
    // X is asked with the same lists.
    expect(natives(await avm.readBalances(wallets, context()))).toEqual(expected)
  })

  test('an X output is locked for who cannot sign for it alone', async () => {
    put('X', secpUtxo([hex(1), hex(2)], 10n, { threshold: 2 }))
    const outcomes = await sources().avm.readBalances(
      [wallet('half', text(1)), wallet('whole', text(2), text(1))],
      context(),
    )
    expect(outcomes.get('half')).toMatchObject({ value: { native: 10n, unlocked: [], locked: [{ balance: 10n }] } })
    expect(outcomes.get('whole')).toMatchObject({ value: { native: 10n, unlocked: [{ balance: 10n }], locked: [] } })
  })

  test('addresses of the other HRP are the same addresses; wrong ones fail their wallet only', async () => {
    put('X', secpUtxo(hex(1), 7n))
    const good = text(1)
    const outcomes = await sources().avm.readBalances(
      [
        wallet('mainnet', text(1, 'avax')),
        wallet('upper', good.toUpperCase()),
        wallet('typo', good, `${good.slice(0, -1)}q`),
      ],
      context(),
    )
    expect(natives(outcomes)).toEqual({
      mainnet: 7n,
      upper: 7n,
      typo: expect.stringContaining(`${good.slice(0, -1)}q`),
    })
    expect(outcomes.get('typo')).toMatchObject({ error: { code: 'BAD_INPUT' } })
  })

  test('trouble of the node is no unknown asset: its amounts would be moved by nine places', async () => {
    put('X', secpUtxo(hex(1), 5n, { assetId: TOKEN }))
    put('X', secpUtxo(hex(2), 7n))
    node().ledger.assets.set(idToCb58(TOKEN), { name: 'Token', symbol: 'TOK', denomination: '9' })
    const { avm } = sources()
    const read = async () => avm.readBalances([wallet('token', text(1)), wallet('avax', text(2))], context())
    const troubles = [
      'internal error',
      'missing trie node',
      'the database is closed',
      'rpc: can\'t find method "avm.GetAssetDescription"',
    ]
    for (const message of troubles) {
      node().before = (call) =>
        call.method === 'avm.getAssetDescription' && call.params['assetID'] !== 'AVAX'
          ? { code: -32000, message }
          : undefined
      const outcomes = await read()
      expect(outcomes.get('token')).toMatchObject({ ok: false })
      expect(outcomes.get('avax')).toMatchObject({ value: { native: 7n } })
    }
    node().before = () => undefined
    expect((await read()).get('token')).toMatchObject({ value: { unlocked: [{ symbol: 'TOK', decimals: 9 }] } })
    // Nor is an asset that the node does not have one without decimals: it is behind.
    const late = 'cd'.repeat(32)
    put('X', secpUtxo(hex(1), 5n, { assetId: late }))
    const outcomes = await read()
    expect(outcomes.get('token')).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining(idToCb58(late)) },
    })
    expect(outcomes.get('avax')).toMatchObject({ value: { native: 7n } })
  })

  test('only outputs with an amount count, and only AVAX on P', async () => {
    const owners = { locktime: 0n, threshold: 1, addresses: [Buffer.from(hex(1), 'hex')] }
    node().ledger.assets.set(idToCb58(TOKEN), { name: '', symbol: ' ', denomination: '2' })
    put(
      'X',
      secpUtxo(hex(1), 5n, { assetId: TOKEN }),
      utxoOf(TOKEN, { type: 'secp-mint', ...owners }),
      utxoOf(TOKEN, { type: 'nft-transfer', groupId: 1, payload: Buffer.from('x'), ...owners }),
      utxoOf(TOKEN, { type: 'property-owned', ...owners }),
    )
    put('P', secpUtxo(hex(1), 5n, { assetId: TOKEN }), secpUtxo(hex(1), 3n))
    const { pvm, avm } = sources()
    expect(natives(await pvm.readBalances([wallet('w', text(1))], context()))).toEqual({ w: 3n })
    const id = idToCb58(TOKEN)
    // Blank names fall back to the asset id.
    expect((await avm.readBalances([wallet('w', text(1))], context())).get('w')).toMatchObject({
      value: {
        native: 0n,
        unlocked: [{ assetId: id, name: id, symbol: id, decimals: 2, balance: 5n, type: 'unknown' }],
      },
    })
  })

  test('shared memory stays apart from the total and is keyed by the other chain', async () => {
    put(
      'P←X',
      secpUtxo(hex(1), 5n),
      secpUtxo(hex(1), 6n, { locktime: 2_000n }),
      secpUtxo([hex(1), hex(2)], 7n, { threshold: 2 }),
    )
    put('C←P', secpUtxo(hex(1), 8n))
    const { pvm, coreth } = sources()
    expect((await pvm.readBalances([wallet('w', text(1))], context())).get('w')).toMatchObject({
      value: { native: 0n, atomicMemoryUnlocked: { [CHAIN_IDS.X]: 5n }, atomicMemoryLocked: { [CHAIN_IDS.X]: 13n } },
    })
    expect((await coreth.readBalances([wallet('w', text(1))], context())).get('w')).toMatchObject({
      value: { native: 8n, atomicMemoryUnlocked: { [CHAIN_IDS.P]: [{ symbol: 'AVAX', decimals: 9, balance: 8n }] } },
    })
  })

  test('an X/P key tells nothing about C', async () => {
    const outcomes = await sources().coreth.readBalances(
      [{ ...wallet('key'), extendedPublicKeys: ['xpub'] }, wallet('w', text(1))],
      context(),
    )
    expect(natives(outcomes)).toEqual({ key: expect.stringContaining('cannot be derived'), w: 0n })
  })

  test('a node that fails gives errors, not zeros', async () => {
    put('P', secpUtxo(hex(1), 5n))
    const { pvm } = sources()
    await pvm.readBalances([wallet('w', text(1))], context())
    for (const method of ['platform.getStake', 'platform.getUTXOs']) {
      node().before = (call) => (call.method === method ? { code: -32000, message: 'no' } : undefined)
      expect((await pvm.readBalances([wallet('w', text(1))], context())).get('w')).toMatchObject({ ok: false })
    }
  })

  test('an asset that cannot be described fails who holds it only', async () => {
    node().ledger.assets.set(idToCb58(TOKEN), { name: 'T', symbol: 'T', denomination: '77' })
    put('X', secpUtxo(hex(1), 5n, { assetId: TOKEN }), secpUtxo(hex(2), 6n))
    const outcomes = await sources().avm.readBalances([wallet('token', text(1)), wallet('avax', text(2))], context())
    expect(natives(outcomes)).toEqual({ token: expect.stringContaining('decimals'), avax: 6n })
  })
})

test('AVAX is described to wallets as they know it', async () => {
  const { pvm } = sources()
  expect(pvm.native).not.toHaveProperty('assetId')
  await pvm.readBalances([wallet('w', text(1))], context())
  expect(pvm.native).toMatchObject({
    name: 'Avalanche',
    symbol: 'AVAX',
    decimals: 9,
    internalId: 'NATIVE-avax',
    assetId: idToCb58(AVAX),
  })
})
