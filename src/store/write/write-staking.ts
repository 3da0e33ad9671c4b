import { sql } from 'kysely'
import { type Column, column, eachChunk, insertRows, rowSource } from '../bulk/rows.ts'
import { stakerKinds, stakerRoles } from '../codes.ts'
import type { Db } from '../database.ts'
import { RangeContentError } from '../errors.ts'
import type {
  BlockchainRow,
  L1ValidatorRow,
  OwnerSet,
  StakerChangeRow,
  StakerRow,
  StakingRows,
  SubnetRow,
} from '../rows/index.ts'

/** Writes a P range's changes of stakers, subnets and L1s. */
export async function writeStaking(db: Db, network: number, rows: StakingRows): Promise<void> {
  const of = <R>(columns: Column<R>[]): Column<R>[] => [column<R>('network', 'int2', () => network), ...columns]
  const stakers = rows.stakers ?? []
  await insertRows(db, 'staker', of(STAKER), stakers)
  await insertRows(db, 'staker_owner', of(STAKER_OWNER), stakers.flatMap(ownerRoles))
  await changeStakers(db, network, rows.stakerChanges ?? [])
  await insertRows(
    db,
    'subnet',
    of(SUBNET),
    last(rows.subnets, (row) => row.id),
    replace(SUBNET, 'network, id'),
  )
  await insertRows(
    db,
    'blockchain',
    of(BLOCKCHAIN),
    last(rows.chains, (row) => row.id),
    replace(BLOCKCHAIN, 'network, id'),
  )
  const l1s = last(rows.l1Validators, (row) => row.validationId)
  await insertRows(db, 'l1_validator', of(L1_VALIDATOR), l1s, replace(L1_VALIDATOR, 'network, validation_id'))
}

async function changeStakers(db: Db, network: number, changes: readonly StakerChangeRow[]): Promise<void> {
  await change(
    db,
    network,
    changes.filter((row) => row.started !== undefined),
    STARTED,
  )
  await change(
    db,
    network,
    changes.filter((row) => row.accruedFees !== undefined),
    ACCRUED,
  )
  const ended = changes.filter((row) => row.ended !== undefined)
  await change(db, network, ended, ENDED)
  await eachChunk(ended, async (chunk) => {
    const source = rowSource('r', [column<StakerChangeRow>('tx_id', 'bytea', (row) => row.txId)], chunk)
    // Owners' entries represent possible future rewards; paid rewards are UTXOs.
    await sql`delete from staker_owner o using (
        select s.tx_id, decode(a.address, 'hex') as address
        from ${source} join staker s on s.tx_id = r.tx_id and s.network = ${network}
        cross join lateral jsonb_array_elements_text(
          coalesce(s.rewards_owner->'addresses', '[]') || coalesce(s.fees_owner->'addresses', '[]')) as a(address)) e
      where o.address = e.address and o.network = ${network} and o.tx_id = e.tx_id`.execute(db)
    return []
  })
}

/** Keeps only the last change of a staker in the range. */
async function change(
  db: Db,
  network: number,
  changes: readonly StakerChangeRow[],
  columns: readonly Column<StakerChangeRow>[],
): Promise<void> {
  const latest = last(changes, (row) => row.txId)
  const changed = await eachChunk(latest, async (chunk) => {
    const keyed = [column<StakerChangeRow>('tx_id', 'bytea', (row) => row.txId), ...columns]
    const set = sql.raw(columns.map((entry) => `${entry.name} = r.${entry.name}`).join(', '))
    const query = sql`update staker s set ${set} from ${rowSource('r', keyed, chunk)}
      where s.network = ${network} and s.tx_id = r.tx_id`
    return [(await query.execute(db)).numAffectedRows ?? 0n]
  })
  const count = changed.reduce((sum, rows) => sum + rows, 0n)
  if (count !== BigInt(latest.length)) throw new RangeContentError('a staker that changes is not known')
}

function last<R>(rows: readonly R[] | undefined, key: (row: R) => string): R[] {
  return [...new Map((rows ?? []).map((row) => [key(row), row])).values()]
}

function replace<R>(columns: readonly Column<R>[], key: string) {
  const set = columns.map((entry) => `${entry.name} = excluded.${entry.name}`).join(', ')
  return sql.raw(`on conflict (${key}) do update set ${set}`)
}

interface OwnerRole {
  address: string
  txId: string
  role: 'reward' | 'fees'
}

function ownerRoles(row: StakerRow): OwnerRole[] {
  const entries = (role: OwnerRole['role'], owner: OwnerSet | undefined): OwnerRole[] =>
    (owner?.addresses ?? []).map((address) => ({ address, txId: row.txId, role }))
  return [...entries('reward', row.rewardsOwner), ...entries('fees', row.feesOwner)]
}

const owners = (owner: OwnerSet | undefined): string | undefined =>
  owner && JSON.stringify({ threshold: owner.threshold, locktime: String(owner.locktime), addresses: owner.addresses })

const STAKER_OWNER: Column<OwnerRole>[] = [
  column('address', 'bytea', (row) => row.address),
  column('tx_id', 'bytea', (row) => row.txId),
  column('role', 'int2', (row) => stakerRoles.number(row.role)),
]

const STAKER: Column<StakerRow>[] = [
  column('tx_id', 'bytea', (row) => row.txId),
  column('kind', 'int2', (row) => stakerKinds.number(row.kind)),
  column('subnet_id', 'bytea', (row) => row.subnetId),
  column('node_id', 'bytea', (row) => row.nodeId),
  column('weight', 'numeric', (row) => row.weight),
  column('start_time', 'int8', (row) => row.start),
  column('end_time', 'int8', (row) => row.end),
  column('pending', 'bool', (row) => row.pending ?? false),
  column('first_stake_output', 'int8', (row) => row.firstStakeOutput),
  column('stake_outputs', 'int4', (row) => row.stakeOutputs),
  column('height', 'int8', (row) => row.height),
  column('time', 'int8', (row) => row.time),
  column('potential_reward', 'numeric', (row) => row.potentialReward),
  column('potential_net', 'numeric', (row) => row.potentialNet),
  column('delegation_shares', 'int4', (row) => row.delegationShares),
  column('rewards_owner', 'jsonb', (row) => owners(row.rewardsOwner)),
  column('fees_owner', 'jsonb', (row) => owners(row.feesOwner)),
]

const STARTED: Column<StakerChangeRow>[] = [
  column('start_time', 'int8', (row) => row.started?.start),
  column('end_time', 'int8', (row) => row.started?.end),
  column('weight', 'numeric', (row) => row.started?.weight),
  column('potential_reward', 'numeric', (row) => row.started?.potentialReward),
  column('potential_net', 'numeric', (row) => row.started?.potentialNet),
  column('pending', 'bool', () => false),
]

const ACCRUED: Column<StakerChangeRow>[] = [column('accrued_fees', 'numeric', (row) => row.accruedFees)]

const ENDED: Column<StakerChangeRow>[] = [
  column('ended_height', 'int8', (row) => row.ended?.height),
  column('ended_time', 'int8', (row) => row.ended?.time),
  column('outcome', 'text', (row) => row.ended?.outcome),
  column('reward_tx', 'bytea', (row) => row.ended?.rewardTxId),
  column('reward_height', 'int8', (row) => row.ended?.rewardHeight),
]

const SUBNET: Column<SubnetRow>[] = [
  column('id', 'bytea', (row) => row.id),
  column('height', 'int8', (row) => row.height),
  column('owner', 'jsonb', (row) => owners(row.owner)),
  column(
    'conversion',
    'jsonb',
    (row) => row.conversion && JSON.stringify({ ...row.conversion, height: String(row.conversion.height) }),
  ),
]

const BLOCKCHAIN: Column<BlockchainRow>[] = [
  column('id', 'bytea', (row) => row.id),
  column('subnet_id', 'bytea', (row) => row.subnetId),
  column('name', 'text', (row) => row.name),
  column('vm_id', 'bytea', (row) => row.vmId),
  column('height', 'int8', (row) => row.height),
]

const L1_VALIDATOR: Column<L1ValidatorRow>[] = [
  column('validation_id', 'bytea', (row) => row.validationId),
  column('subnet_id', 'bytea', (row) => row.subnetId),
  column('node_id', 'bytea', (row) => row.nodeId),
  column('public_key', 'bytea', (row) => row.publicKey),
  column('weight', 'numeric', (row) => row.weight),
  column('min_nonce', 'numeric', (row) => row.minNonce),
  column('start_time', 'int8', (row) => row.startTime),
  column('end_accumulated_fee', 'numeric', (row) => row.endAccumulatedFee),
  column('remaining_balance_owner', 'jsonb', (row) => owners(row.remainingBalanceOwner)),
  column('deactivation_owner', 'jsonb', (row) => owners(row.deactivationOwner)),
  column('height', 'int8', (row) => row.height),
]
