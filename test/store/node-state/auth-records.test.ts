import { expect, it } from 'vitest'
import { describeStores } from '../../support/store/store.ts'

const soon = (): bigint => BigInt(Math.floor(Date.now() / 1000) + 3_600)

describeStores('auth records', (open) => {
  it('begins empty, keeps a credential and its revocations, and drops those with the next credential', async () => {
    const { auth } = await open()
    const first = await auth.state()
    expect(first).toMatchObject({ credential: undefined, revocations: [] })
    expect(await auth.replaceCredential({ salt: '00ff', fingerprint: 'hash 1' }, first.generation)).toBe(true)
    const until = soon()
    await auth.revoke({ jti: 'one', until })
    await auth.revoke({ jti: 'one', until: until + 5n })
    const second = await auth.state()
    expect(second.credential).toEqual({ salt: '00ff', fingerprint: 'hash 1' })
    expect(second.revocations).toEqual([{ jti: 'one', until }])
    expect(await auth.replaceCredential({ salt: 'aa', fingerprint: 'hash 2' }, second.generation)).toBe(true)
    expect(await auth.state()).toMatchObject({ credential: { salt: 'aa', fingerprint: 'hash 2' }, revocations: [] })
  })

  it('lets one of two processes replace what both have read', async () => {
    const { auth } = await open()
    const { generation } = await auth.state()
    const results = await Promise.all(
      ['a', 'b', 'c'].map((fingerprint) => auth.replaceCredential({ salt: '01', fingerprint }, generation)),
    )
    expect(results.filter(Boolean)).toHaveLength(1)
  })

  it('forgets revocations of tokens that expired more than a week ago, and no others', async () => {
    const { auth } = await open()
    await auth.revoke({ jti: 'old', until: 1n })
    expect((await auth.state()).revocations).toEqual([])
    const before = await auth.generation()
    await auth.revoke({ jti: 'day', until: soon() - 90_000n })
    expect(await auth.generation()).toBe(before + 1n)
    await auth.revoke({ jti: 'new', until: soon() })
    expect((await auth.state()).revocations.map((revocation) => revocation.jti).sort()).toEqual(['day', 'new'])
  })
})
