import { expect, it, onTestFinished } from 'vitest'
import { createAvalancheNetwork } from '../../src/chains/avalanche/index.ts'
import { CHAIN_LETTERS } from '../../src/facts/primary-network.ts'
import { type VerifyReport, verifyIndex } from '../../src/indexer/verify/index.ts'
import { createUpstreamPool } from '../../src/upstream/index.ts'
import { TEST_LIMITS } from '../support/upstream/upstream-pool.ts'
import { type Stage, startStage } from './stage.ts'

/** Compares what a stage holds with its node; `recorded` is what the stage calls the network. */
async function verify(stage: Stage, seed: number, samples = 60, durationMs = 60_000): Promise<VerifyReport> {
  const [node] = stage.nodes
  const limits = { ...TEST_LIMITS, headersTimeoutMs: 10_000, bodyTimeoutMs: 10_000 }
  const pool = createUpstreamPool('node', [{ url: node?.url ?? '' }], limits)
  onTestFinished(() => pool.close())
  return verifyIndex({
    reader: stage.store.reader,
    networks: [{ name: 'recorded', network: createAvalancheNetwork({ pool }), letters: CHAIN_LETTERS }],
    evm: [],
    samples,
    durationMs,
    seed,
    signal: new AbortController().signal,
  })
}

it('finds nothing in an index that is right, and whatever is wrong in one that is not', async () => {
  const stage = await startStage()
  await stage.caughtUp()
  await stage.indexer.stop()
  const right = await verify(stage, 1)
  expect(right).toEqual({
    ...{ blocks: 180, addresses: 60, outputs: 60, l1Validators: 60, unsettled: 0 },
    ...{ unanswered: [], missing: [], differences: [] },
  })
  // The same seed takes the same samples.
  expect(await verify(stage, 1, 5)).toEqual({ ...right, blocks: 15, addresses: 5, outputs: 5, l1Validators: 5 })

  // Records and owners' entries are read by different lists.
  for (const [table, unspent] of [
    ['utxo', 'consumed_height is null'],
    ['utxo_owner', 'consumed_time = 9223372036854775807'],
  ]) {
    await stage.sql(`update ${table} set amount = amount + 1 where ${unspent}`)
    const amounts = (await verify(stage, 2, 10)).differences
    expect(amounts.some((text) => /the index lacks/.test(text))).toBe(true)
    expect(amounts.some((text) => /the node does not have/.test(text))).toBe(true)
    await stage.sql(`update ${table} set amount = amount - 1 where ${unspent}`)
    expect((await verify(stage, 2, 10)).differences).toEqual([])
  }

  // Who is removed keeps a row, with a weight of 0.
  for (const [change, back, found] of [
    ['weight = -1 where weight = 0', 'weight = 0 where weight = -1', /the node does not have it/],
    [
      'weight = weight + 1 where weight > 0',
      'weight = weight - 1 where weight > 0',
      /: weight .*, the node has weight/,
    ],
    [
      'end_accumulated_fee = end_accumulated_fee + 1 where end_accumulated_fee > 0',
      'end_accumulated_fee = end_accumulated_fee - 1 where end_accumulated_fee > 0',
      /balance [1-9]\d* nAVAX.*, the node has/,
    ],
    // Of keys and owners another validator's are as well formed as its own.
    [
      `node_id = set_byte(node_id, 0, get_byte(node_id, 0) # 1)`,
      `node_id = set_byte(node_id, 0, get_byte(node_id, 0) # 1)`,
      /by NodeID-.*, the node has weight/,
    ],
    [
      `public_key = set_byte(public_key, 47, get_byte(public_key, 47) # 1)`,
      `public_key = set_byte(public_key, 47, get_byte(public_key, 47) # 1)`,
      /with key [0-9a-f]{96}.*, the node has weight/,
    ],
    [
      'remaining_balance_owner = deactivation_owner, deactivation_owner = remaining_balance_owner',
      'remaining_balance_owner = deactivation_owner, deactivation_owner = remaining_balance_owner',
      /what is left goes to [1-9] of .*, disabled by .*, the node has weight/,
    ],
  ] as const) {
    await stage.sql(`update l1_validator set ${change}`)
    expect((await verify(stage, 7, 20)).differences.join('\n')).toMatch(found)
    await stage.sql(`update l1_validator set ${back}`)
  }

  // What was spent is in no list of what can be spent: single outputs and their transactions show it.
  for (const [change, back, found] of [
    ['amount = amount + 1', 'amount = amount - 1', /the node has transfer of/],
    ['locktime = locktime + 1', 'locktime = locktime - 1', /entries of its owners say the same/],
    ['consumed_by = tx_id', undefined, /does not spend it at the node/],
  ] as const) {
    await stage.sql(`update utxo set ${change} where consumed_by is not null`)
    expect((await verify(stage, 6, 20)).differences.join('\n')).toMatch(found)
    if (back === undefined) continue
    await stage.sql(`update utxo set ${back} where consumed_by is not null`)
    expect((await verify(stage, 6, 20)).differences).toEqual([])
  }

  await stage.sql(`update block set outer_id = id where outer_id is not null`)
  expect((await verify(stage, 3, 10)).differences.join()).toMatch(/container .*, the node has/)
  await stage.sql(`delete from block where height between 1 and 300`)
  expect((await verify(stage, 4, 10)).differences.join()).toMatch(/block \d+: not in the index/)
  await stage.sql(`update l1_validator set weight = 0`)
  expect((await verify(stage, 7, 10)).differences.join('\n')).toMatch(/: removed, the node has weight/)
  await stage.sql(`delete from stream where name like '%:X'`)
  expect((await verify(stage, 5, 1)).missing).toEqual(['recorded:X'])
})

it('names the chains whose nodes do not answer, and goes on with the others', async () => {
  const stage = await startStage()
  await stage.caughtUp()
  await stage.indexer.stop()
  const [node] = stage.nodes
  if (!node) throw new Error('no node')
  Object.assign(node.faults, { html: 502, onPath: '/X' })
  const { blocks, addresses, unanswered, differences } = await verify(stage, 1, 5)
  expect(unanswered.map((text) => text.split(': ')[0])).toEqual(['recorded:X', 'addresses of recorded'])
  expect([blocks, addresses, differences]).toEqual([10, 0, []])
  // Fewer samples than it takes to leave a chain out, as where the time is over: nothing was compared there either.
  const few = await verify(stage, 1, 2)
  expect(few.unanswered.map((text) => text.split(': ')[0])).toEqual(['recorded:X', 'addresses of recorded'])
  expect([few.blocks, few.addresses]).toEqual([4, 0])
})

it('says of an index that stands still while the network goes on that addresses were not compared', async () => {
  const stage = await startStage({ nodes: [{ upTo: { P: 40, X: 20, C: 60 } }] })
  await stage.caughtUp()
  await stage.indexer.stop()
  stage.nodes[0]?.moveTo({ P: 60 })
  // The time ends while the first one is waited for.
  expect(await verify(stage, 1, 60, 1_000)).toMatchObject({ addresses: 0, unsettled: 1, differences: [] })
})
