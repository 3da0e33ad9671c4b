import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { useServerStores } from '../support/store/server-stores.ts'
import { block, commit, commitEvm, evmBlock, L1, registerAll, tipAt } from './write/range-samples.ts'

describe('a database of an earlier version', () => {
  const { server, connect } = useServerStores()

  it('of EVM chains is looked at again from its first block on for what contracts sent', async () => {
    const url = await server().create('untraced')
    const before = connect(url)
    await before.writer.register(L1)
    await registerAll(before)
    for (const height of [0, 1, 2]) await commitEvm(before, L1.name, height, { blocks: [evmBlock(height)] })
    await commit(before, 'testnet:P', 0, { blocks: [block(0)] })
    await before.close()
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(`drop table evm_untraced; delete from firn_migration where name >= '0013'`)
    const after = connect(url)
    expect(await after.writer.untraced(L1.name, 10)).toEqual({ blocks: [0, 1, 2].map(tipAt), missing: 3n })
    expect(await after.writer.untraced('testnet:C', 10)).toEqual({ blocks: [], missing: 0n })
    expect((await client.query('select count(*)::int as gaps from evm_untraced')).rows).toEqual([{ gaps: 1 }])
    await client.end()
  })
})
