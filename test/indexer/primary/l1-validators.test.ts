import { expect, it } from 'vitest'
import { conversionValidationId } from '../../../src/chains/avalanche/codec/index.ts'
import { idToCb58 } from '../../../src/lib/bytes/ids.ts'
import type { L1ValidatorRow, PrimaryRows } from '../../../src/store/index.ts'
import { hexId, parseAddress } from '../../store/recorded-rows.ts'
import { recordedJson, recordedLines } from '../../support/recorded/recordings.ts'
import { base, delegatorTx, id, owner, proposal, standard, startChain, tx } from './made-p.ts'
import { recordedP, smallPages } from './recorded-p.ts'

interface Event {
  validationID: string
  height: number
  time: number
  event: string
  tx: string | null
  utxo: string | null
  amount: number | null
}

it('every change of an L1 validator happens when and as an independent program found it', async () => {
  const { blocks, start } = await recordedP()
  const { applier } = start()
  const known = new Map<string, L1ValidatorRow>()
  const found: Partial<Event>[] = []
  for (const page of smallPages(blocks)) {
    const { rows } = await applier.apply(page)
    const { primary = {} } = rows
    for (const row of primary.staking?.l1Validators ?? []) {
      found.push({
        validationID: idToCb58(row.validationId),
        height: Number(row.height),
        time: Number(page[0]?.time),
        ...change(known.get(row.validationId), row, primary),
      })
      known.set(row.validationId, row)
    }
  }
  const truth = recordedLines<Event>('truth/l1-events')
  const plain = truth.map(({ tx, utxo, amount, ...event }) =>
    // What a validator brings along is checked by how its balance ends.
    ({ ...event, ...(utxo === null ? {} : { amount }) }),
  )
  const order = (a: Partial<Event>, b: Partial<Event>): number =>
    Number(a.height) - Number(b.height) || String(a.validationID).localeCompare(String(b.validationID))
  expect(found.sort(order)).toEqual(plain.sort(order))
})

function change(before: L1ValidatorRow | undefined, row: L1ValidatorRow, rows: PrimaryRows): Partial<Event> {
  const refund = rows.utxos?.find(
    ({ addresses, amount }) => addresses.length > 0 && amount !== undefined && isRefund(rows, amount),
  )
  const paid = refund ? { amount: Number(refund.amount) } : {}
  if (!before) return { event: 'registered' }
  if (before.weight !== row.weight) return { event: `weight ${row.weight}`, ...(row.weight === 0n ? paid : {}) }
  if (row.endAccumulatedFee > before.endAccumulatedFee) return { event: 'balance increased' }
  return (rows.transactions ?? []).length > 0
    ? { event: 'disabled', ...paid }
    : { event: 'deactivated: not enough for the next second' }
}

/** The refund is the last output of its transaction. */
const isRefund = (rows: PrimaryRows, amount: bigint): boolean => rows.utxos?.at(-1)?.amount === amount

interface NodeValidator {
  validationID: string
  nodeID: string
  weight: string
  startTime: string
  publicKey: string
  minNonce: string
  balance: string
  subnetID: string
  remainingBalanceOwner: { threshold: string; addresses: string[] }
  deactivationOwner: { threshold: string; addresses: string[] }
}

it('L1 validators, subnets, chains and supply end as the node has them', async () => {
  const { blocks, start } = await recordedP()
  const { applier, state } = start()
  const { rows } = await applier.apply(blocks)
  const node = recordedJson<{
    l1Validators: NodeValidator[]
    supply: { supply: string }
    blockchains: { blockchains: { id: string; name: string; subnetID: string; vmID: string }[] }
    subnets: {
      validators: { validators: NodeValidator[] }
      id: string
      controlKeys: string[]
      threshold: string
      details: { conversionID?: string; managerAddress: string | null }
    }[]
  }>('platform-state')
  // Some stand in the lists of their subnets only; the node knows nothing of those that were removed.
  const listed = node.subnets.flatMap(({ id, validators }) =>
    validators.validators.map((validator) => ({ ...validator, subnetID: id })),
  )
  const present = [...node.l1Validators, ...listed].filter(({ balance }) => balance !== undefined)
  expect(present.length).toBeGreaterThan(18)
  const gone = node.l1Validators.filter(({ balance }) => balance === undefined)
  expect(gone.map(({ validationID }) => state.l1.get(hexId(validationID)))).toEqual(gone.map(() => undefined))
  for (const expected of present) {
    const row = state.l1.get(hexId(expected.validationID))
    const balance = row && row.endAccumulatedFee > 0n ? row.endAccumulatedFee - state.l1.accruedFees : 0n
    expect({ ...row, balance }).toMatchObject({
      subnetId: hexId(expected.subnetID),
      weight: BigInt(expected.weight),
      minNonce: BigInt(expected.minNonce),
      startTime: BigInt(expected.startTime),
      publicKey: expected.publicKey.slice(2),
      balance: BigInt(expected.balance),
      remainingBalanceOwner: ownerOf(expected.remainingBalanceOwner),
      deactivationOwner: ownerOf(expected.deactivationOwner),
    })
  }
  expect(String(state.supply.get('0'.repeat(64)))).toBe(node.supply.supply)
  for (const { id, name, subnetID, vmID } of node.blockchains.blockchains) {
    const row = rows.primary?.staking?.chains?.find((chain) => chain.id === hexId(id))
    expect(row).toMatchObject({ name, subnetId: hexId(subnetID), vmId: hexId(vmID) })
  }
  for (const { id, controlKeys, threshold, details } of node.subnets) {
    if (!details.conversionID) continue
    const subnet = state.subnets.get(hexId(id))
    const empty = /^1+LpoYY$/.test(details.conversionID)
    expect(subnet?.conversion?.id).toBe(empty ? undefined : hexId(details.conversionID))
    expect(subnet?.conversion?.managerAddress).toBe(empty ? undefined : (details.managerAddress ?? '').slice(2))
    if (controlKeys?.length > 0) expect(subnet?.owner).toMatchObject(ownerOf({ threshold, addresses: controlKeys }))
  }
})

const ownerOf = ({ threshold, addresses }: { threshold: string; addresses: string[] }) => ({
  threshold: Number(threshold),
  addresses: addresses.map(parseAddress),
})

/** What makes an L1 whose validators have these balances, nAVAX; each pays 512 a second. */
function l1Of(...balances: bigint[]) {
  const subnet = tx({ type: 'CreateSubnetTx', ...base, owner: owner(1) })
  const nobody = { threshold: 1, addresses: [new Uint8Array(20)] }
  const convert = tx({
    type: 'ConvertSubnetToL1Tx',
    ...base,
    subnetId: subnet.id,
    chainId: id('7'),
    address: new Uint8Array(20),
    validators: balances.map((balance, at) => ({
      nodeId: `0${at}`.repeat(20),
      weight: 1n,
      balance,
      signer: { publicKey: new Uint8Array(48), signature: new Uint8Array(96) },
      remainingBalanceOwner: nobody,
      deactivationOwner: nobody,
    })),
    subnetAuth: { type: 'secp-auth', sigIndices: [0] },
  })
  const validationIds = balances.map((_, at) => conversionValidationId(subnet.id, at))
  return { txs: [subnet, convert], validationIds }
}

it('an L1 validator that cannot pay the second behind a proposal falls out with its block', async () => {
  const chain = startChain(1_000n)
  const ended = delegatorTx(1n, 1n)
  const made = await chain.apply(standard(1_000n, ...l1Of(1_000n).txs, ended))
  expect(made.staking?.l1Validators?.at(-1)).toMatchObject({ endAccumulatedFee: 1_000n })
  // 512 nAVAX are paid by then, and 488 are left.
  const block = proposal(1_001n, tx({ type: 'RewardValidatorTx', txId: ended.id }))
  const { staking } = await chain.apply(block, { type: 'BanffAbortBlock', time: 1_001n })
  expect(staking?.l1Validators).toMatchObject([{ endAccumulatedFee: 0n, weight: 1n, height: 2n }])
})

it('an L1 validator that can just pay the next second stays, though another falls out with the same block', async () => {
  const chain = startChain(1_000n)
  const { txs, validationIds } = l1Of(1_024n, 1_023n)
  await chain.apply(standard(1_000n, ...txs))
  const { staking } = await chain.apply(standard(1_001n))
  expect(staking?.l1Validators).toMatchObject([{ validationId: validationIds[1], endAccumulatedFee: 0n }])
})

it('who has 1 nAVAX left at the time of a block keeps it there, and who has nothing left gets nothing back', async () => {
  const chain = startChain(1_000n)
  const { txs, validationIds } = l1Of(1_024n, 1_025n)
  await chain.apply(standard(1_000n, ...txs))
  const [poor, rich] = validationIds
  const disable = tx({
    type: 'DisableL1ValidatorTx',
    ...base,
    validationId: poor,
    disableAuth: { type: 'secp-auth', sigIndices: [0] },
  })
  const increase = tx({ type: 'IncreaseL1ValidatorBalanceTx', ...base, validationId: rich, balance: 1_000n })
  const { staking, utxos } = await chain.apply(standard(1_002n, disable, increase))
  const ends = staking?.l1Validators?.map(({ validationId, endAccumulatedFee }) => [validationId, endAccumulatedFee])
  expect(new Map(ends as [string, bigint][])).toEqual(
    new Map([
      [poor, 0n],
      [rich, 2_025n],
    ]),
  )
  expect(utxos?.map(({ txId, amount }) => [txId, amount])).toEqual([
    [disable.id, 7n],
    [increase.id, 7n],
  ])
})

it('the fee is counted from the first block at or behind the start of Etna on, with all seconds since the block before', async () => {
  const chain = startChain(1_000n, { etna: 2_000n })
  const { blocks = [] } = await chain.apply(standard(1_998n), standard(2_000n), standard(2_001n))
  expect(blocks.map(({ l1AccruedFees, activeL1Validators }) => [l1AccruedFees, activeL1Validators])).toEqual([
    [undefined, undefined],
    [1_024n, 0],
    [1_536n, 0],
  ])
})
