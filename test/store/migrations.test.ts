import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { useServerStores } from '../support/server-stores.ts'
import { address, block, commit, output, registerAll, spend } from './write/range-samples.ts'

const INDEXES = `select indexname from pg_indexes where tablename = 'utxo_owner' order by 1`

describe('a database of an earlier version', () => {
  const { server, connect } = useServerStores()

  it('that has one index of intervals gets the two of today, and its rows stay', async () => {
    const url = await server().create('earlier')
    const before = connect(url)
    await registerAll(before)
    await commit(before, 'testnet:P', 0, { blocks: [block(0)], utxos: [output(1, 0), output(2, 0), output(3, 0)] })
    await commit(before, 'testnet:P', 1, { blocks: [block(1)], spends: [spend(2, 1, 4)] })
    await before.close()
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const now = (await client.query(INDEXES)).rows
    // The definition that was released, without what it included.
    await client.query(`drop index utxo_owner_open; drop index utxo_owner_ended;
      create index utxo_owner_interval on utxo_owner (address, chain, consumed_time, created_time, utxo);
      delete from firn_migration where name >= '0008'`)
    const after = connect(url)
    const chain = { network: 'testnet', letter: 'P' as const }
    const sums = async (at?: bigint): Promise<bigint[]> =>
      (
        await after.reader.balances.groups({
          chain,
          addresses: [address(1)],
          locksAt: 2_000n,
          ...(at === undefined ? {} : { at }),
        })
      ).map(({ amount }) => amount)
    expect([await sums(), await sums(1_000n), await sums(1_001n), await sums(999n)]).toEqual([[10n], [15n], [10n], []])
    expect((await client.query(INDEXES)).rows).toEqual(now)
    expect(now.map(({ indexname }) => indexname)).not.toContain('utxo_owner_interval')
    await client.end()
  })
})
