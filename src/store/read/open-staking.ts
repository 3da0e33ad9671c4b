import type { Kysely, Selectable, Transaction } from 'kysely'
import { BadInputError } from '../../errors.ts'
import { stakerKinds } from '../codes.ts'
import type { L1ValidatorRow, OpenStaker, OpenStaking, SubnetRow } from '../rows/index.ts'
import type { Database } from '../schema/index.ts'
import { toOwnerSet } from './owner-set.ts'

/** Open staking of a stream's P chain, from one snapshot of the database; see `IndexWriter.openStaking`. */
export function readOpenStaking(db: Kysely<Database>, stream: string): Promise<OpenStaking> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      const row = await tx.selectFrom('stream').select('network').where('name', '=', stream).executeTakeFirst()
      const network = row?.network
      if (network === undefined || network === null) throw new BadInputError(`${stream} is no stream of a P chain`)
      return {
        stakers: await openStakers(tx, network),
        subnets: await subnets(tx, network),
        l1Validators: await l1Validators(tx, network),
      }
    })
}

async function openStakers(tx: Transaction<Database>, network: number): Promise<OpenStaker[]> {
  const rows = await tx
    .selectFrom('staker')
    .selectAll()
    .where('network', '=', network)
    .where('ended_height', 'is', null)
    .execute()
  return rows.map(toStaker)
}

export function toStaker(row: Selectable<Database['staker']>): OpenStaker {
  return {
    txId: row.tx_id,
    kind: stakerKinds.word(row.kind),
    subnetId: row.subnet_id,
    nodeId: row.node_id,
    weight: BigInt(row.weight),
    start: row.start_time,
    end: row.end_time,
    height: row.height,
    time: row.time,
    pending: row.pending,
    firstStakeOutput: Number(row.first_stake_output),
    stakeOutputs: row.stake_outputs,
    potentialReward: BigInt(row.potential_reward),
    potentialNet: BigInt(row.potential_net),
    accruedFees: BigInt(row.accrued_fees),
    ...(row.delegation_shares === null ? {} : { delegationShares: row.delegation_shares }),
    ...(row.rewards_owner === null ? {} : { rewardsOwner: toOwnerSet(row.rewards_owner) }),
    ...(row.fees_owner === null ? {} : { feesOwner: toOwnerSet(row.fees_owner) }),
  }
}

async function subnets(tx: Transaction<Database>, network: number): Promise<SubnetRow[]> {
  const rows = await tx.selectFrom('subnet').selectAll().where('network', '=', network).execute()
  return rows.map(({ id, height, owner, conversion }) => ({
    id,
    height,
    owner: toOwnerSet(owner),
    ...(conversion === null ? {} : { conversion: { ...conversion, height: BigInt(conversion.height) } }),
  }))
}

async function l1Validators(tx: Transaction<Database>, network: number): Promise<L1ValidatorRow[]> {
  const rows = await tx
    .selectFrom('l1_validator')
    .selectAll()
    .where('network', '=', network)
    .where('weight', '>', '0')
    .execute()
  return rows.map(toL1Validator)
}

export function toL1Validator(row: Selectable<Database['l1_validator']>): L1ValidatorRow {
  return {
    validationId: row.validation_id,
    subnetId: row.subnet_id,
    nodeId: row.node_id,
    publicKey: row.public_key,
    weight: BigInt(row.weight),
    minNonce: BigInt(row.min_nonce),
    startTime: row.start_time,
    endAccumulatedFee: BigInt(row.end_accumulated_fee),
    remainingBalanceOwner: toOwnerSet(row.remaining_balance_owner),
    deactivationOwner: toOwnerSet(row.deactivation_owner),
    height: row.height,
  }
}
