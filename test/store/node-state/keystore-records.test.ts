import { expect, it } from 'vitest'
import { describeStores } from '../../support/store/store.ts'

const bytes = (...values: number[]): Uint8Array => new Uint8Array(values)
const user = { name: bytes(0xc3, 0xa4, 0), hash: bytes(1, 2), salt: bytes(3) }

describeStores('keystore records', (open) => {
  it('makes a user with entries once and reads it back sorted by key', async () => {
    const { keystore } = await open()
    const entries = [
      { key: bytes(2), value: bytes(9) },
      { key: bytes(1), value: bytes() },
      { key: bytes(2), value: bytes(8) },
    ]
    expect(await keystore.create(user, entries)).toBe(true)
    expect(await keystore.create({ ...user, hash: bytes(7) })).toBe(false)
    expect(await keystore.read(user.name)).toEqual({
      user,
      entries: [
        { key: bytes(1), value: bytes() },
        { key: bytes(2), value: bytes(8) },
      ],
    })
    expect(await keystore.names()).toEqual([user.name])
    expect(await keystore.find(bytes(1))).toBeUndefined()
  })

  it('removes a user with everything', async () => {
    const { keystore } = await open()
    await keystore.create(user, [{ key: bytes(1), value: bytes(2) }])
    expect(await keystore.remove({ ...user, hash: bytes(2, 1) })).toBe(false)
    expect(await keystore.remove(user)).toBe(true)
    expect(await keystore.remove(user)).toBe(false)
    await keystore.create(user)
    expect(await keystore.values(user.name, [bytes(1)])).toEqual([])
  })

  it('writes all changes or none and loses none of two at the same time', async () => {
    const { keystore } = await open()
    await keystore.create(user, [{ key: bytes(0), value: bytes() }])
    const append = (value: number): Promise<boolean> =>
      keystore.update(user, [bytes(0)], ([list]) => [
        { key: bytes(0), value: bytes(...(list?.value ?? []), value) },
        { key: bytes(value), value: bytes(value) },
      ])
    await Promise.all([1, 2, 3, 4].map(append))
    const [list] = await keystore.values(user.name, [bytes(0)])
    expect([...(list?.value ?? [])].sort()).toEqual([1, 2, 3, 4])
    const failing = keystore.update(user, [], () => {
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await keystore.update({ ...user, name: bytes(5) }, [], () => [])).toBe(false)
    expect(await keystore.update({ ...user, hash: bytes(5) }, [], () => [])).toBe(false)
  })

  it('takes more entries than fit into one statement', async () => {
    const { keystore } = await open()
    const entries = Array.from({ length: 2_500 }, (_, i) => ({ key: bytes(i >> 8, i & 255), value: bytes(1) }))
    await keystore.create(user, entries)
    expect((await keystore.read(user.name))?.entries).toHaveLength(2_500)
  })
})
