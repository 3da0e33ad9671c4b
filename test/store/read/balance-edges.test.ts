import { expect, it } from 'vitest'
import type { Store } from '../../../src/store/index.ts'
import { describeFilledStores } from '../../support/store/store.ts'
import { address, block, commit, id, output, registerAll } from '../write/range-samples.ts'

const stake = { start: 2_000n, end: 3_000n }
const of = (owner: number) => ({ stake, addresses: [address(owner)] })

/** Stakes that begin at 2,000; the first is over at 2,900, before its time. */
async function fill(store: Store): Promise<void> {
  await registerAll(store)
  const utxos = [
    output(10, 0, of(1)),
    output(11, 0, { ...of(2), locktime: 3_001n }),
    output(12, 0, { ...of(3), locktime: 3_000n, stakeableLocktime: 2_999n }),
    output(13, 0, { ...of(4), stakeableLocktime: 3_001n }),
    // Since Durango a stake begins in the second of its block.
    output(14, 0, { stake: { start: 1_000n, end: 3_000n }, addresses: [address(5)] }),
  ]
  await commit(store, 'testnet:P', 0, { blocks: [block(0)], utxos })
  const releases = [{ txId: id(10), outputIndex: 0, time: 2_900n }]
  await commit(store, 'testnet:P', 1, { blocks: [block(1, { time: 2_900n })], releases })
}

describeFilledStores('edges of balances', fill, (store) => {
  const group = async (owner: number, at: bigint) => {
    const query = { addresses: [address(owner)], at, locksAt: at }
    const groups = await store().reader.balances.groups({ chain: { network: 'testnet', letter: 'P' }, ...query })
    expect(groups).toHaveLength(1)
    return groups[0]
  }

  it('stake is at work from the second of its start on, and free from that of its end', async () => {
    const staking = []
    for (const at of [1_999n, 2_000n, 2_899n, 2_900n]) staking.push((await group(1, at))?.staking)
    expect(staking).toEqual(['pending', 'active', 'active', 'none'])
  })

  it('stake that is still at work is free from the second of its end on for moments to come, its locks for themselves', async () => {
    const before = await group(2, 2_999n)
    const after = await group(2, 3_000n)
    expect([before?.staking, before?.lockedAfterStaking]).toEqual(['active', true])
    expect([after?.staking, after?.platformLocked]).toEqual(['none', true])
    expect(await group(4, 3_001n)).toMatchObject({ staking: 'none', stakeableLocked: false })
  })

  it('stake of now is free when a block has made it so, whatever the clock says', async () => {
    const query = { chain: { network: 'testnet', letter: 'P' as const }, addresses: [address(2)], locksAt: 9_000n }
    const [now] = await store().reader.balances.groups(query)
    expect(now?.staking).toBe('active')
  })

  it('stake that began with its block is at work, though the block is ahead of the clock', async () => {
    const query = { chain: { network: 'testnet', letter: 'P' as const }, locksAt: 995n }
    const [now] = await store().reader.balances.groups({ ...query, addresses: [address(5)] })
    const [waiting] = await store().reader.balances.groups({ ...query, addresses: [address(2)] })
    expect([now?.staking, waiting?.staking]).toEqual(['active', 'pending'])
  })

  it('stake stays locked where either of its locks outlasts it, by a second at least', async () => {
    const locked = []
    for (const owner of [1, 2, 3, 4]) locked.push((await group(owner, 2_500n))?.lockedAfterStaking)
    expect(locked).toEqual([false, true, false, true])
  })
})
