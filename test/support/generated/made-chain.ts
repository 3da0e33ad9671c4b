import { createHash } from 'node:crypto'

/*
 * A made-up P chain as SQL: every value is a function of the output's number, so that a server can make ten million of
 * them by itself and the client knows any address without being told.
 */
export const PER_BLOCK = 10
export const START = 1_700_000_000
export const BLOCK_SECONDS = 2
/** Outputs are consumed within so many blocks after they were made, and of a shorter chain within its length. */
const LONGEST_LIFE = 15_000

/** Unix seconds of the block at a height. */
export const timeOf = (height: number): bigint => BigInt(START + height * BLOCK_SECONDS)

/** An owner by its place, hex; 0 has a twentieth of all outputs, the rest share evenly. */
export function addressOf(owner: number): string {
  const place = Buffer.alloc(8)
  place.writeBigInt64BE(BigInt(owner))
  return createHash('sha256').update('owner').update(place).digest('hex').slice(0, 40)
}

const hash = (kind: string, number: string): string => `sha256('${kind}'::bytea || int8send((${number})::int8))`
const address = (owner: string): string => `substr(${hash('owner', owner)}, 1, 20)`
export const txId = (height: string): string => hash('tx', height)
export const blockId = (height: string): string => hash('block', height)
export const outerId = (height: string): string => hash('outer', height)
export const nodeId = (height: string): string => address(`900000000 + ${height} % 1000`)
export const timeSql = (height: string): string => `(${START} + ${height} * ${BLOCK_SECONDS})::int8`
/** A number below `below` that belongs to an output, another one for each seed. */
const dice = (seed: number, below: number): string =>
  `((hashint8extended(n, ${seed}) & 9223372036854775807) % ${below})`

/** The columns of an output in two steps, because later ones are made of earlier ones. */
export function outputs(utxos: number, owners: number): string {
  const heights = Math.ceil(utxos / PER_BLOCK)
  return `(
    select m.*, ${txId('height')} as tx_id, ${address('owner')} as address,
      case when second is not null and second <> owner then ${address('second')} end as second_address,
      case when not exported and spent and height + life < ${heights} then height + life end as consumed_height,
      md5(n::text || ' key')::uuid as utxo
    from (
      select n, n / ${PER_BLOCK} as height, n % ${PER_BLOCK} as output_index,
        case when ${dice(1, 20)} = 0 then 0 else 1 + ${dice(2, owners - 1)} end as owner,
        case when ${dice(3, 50)} = 0 then 1 + ${dice(4, owners - 1)} end as second,
        ${dice(5, 50)} = 0 as exported, ${dice(6, 10)} < 7 as spent, 1 + ${dice(7, Math.min(LONGEST_LIFE, heights))} as life,
        ${dice(8, 10)} = 0 as other_asset, ${dice(9, 1e12)} as amount,
        case when ${dice(10, 100)} = 0 then ${START * 2} else 0 end as locktime
      from generate_series(0::int8, ${utxos - 1}) n) m)`
}
