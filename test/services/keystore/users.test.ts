import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, describe, expect, it } from 'vitest'
import { entryKeysOf } from '../../../src/services/keystore/entry-keys.ts'
import { createKeystore, decodeBlobText, encodeBlobText } from '../../../src/services/keystore/index.ts'
import { createRecordCipher } from '../../../src/services/keystore/record-cipher.ts'
import { type KeystoreRecords, type KeystoreUser, openStore, type Store } from '../../../src/store/index.ts'
import { keystoreVectors } from '../../support/recorded/keystore-recordings.ts'
import { putDatabase } from '../../support/store/migrated-archive.ts'
import { describeStores } from '../../support/store/store.ts'

const caller = { address: '127.0.0.1', signal: new AbortController().signal }
const alice = { username: 'alice', password: 'Kl3ine-Gruene.Wuerfel#27' }
const found = async (records: KeystoreRecords): Promise<KeystoreUser> => {
  const user = await records.find(Buffer.from('alice'))
  if (!user) throw new Error('no alice')
  return user
}
const P = { blockchainId: '11111111111111111111111111111111LpoYY', form: 'short' } as const

describeStores('keystore users', (open) => {
  it('come from real nodes with all their keys and go back byte for byte', async () => {
    const keystore = createKeystore({ records: (await open()).keystore })
    for (const { username, password, blobHex, keys } of keystoreVectors) {
      const credentials = { username: `${username} here`, password }
      await keystore.users.import(credentials, decodeBlobText(blobHex, 'hex'), caller)
      expect(encodeBlobText(await keystore.users.export(credentials, caller), 'hex')).toBe(blobHex)
      for (const { chain, blockchainID, privateKeyHex } of keys) {
        const form = chain === 'C' ? 'ethereum' : 'short'
        const session = await keystore.keys.open({ blockchainId: blockchainID, form }, credentials, caller)
        const found = await Promise.all((await session.addresses()).map((address) => session.privateKey(address)))
        expect(found.map((key) => Buffer.from(key).toString('hex'))).toContain(privateKeyHex)
      }
    }
  })

  it('made here have the layout of a node and come back with their keys', async () => {
    const keystore = createKeystore({ records: (await open()).keystore })
    await keystore.users.create(alice, caller)
    expect(await keystore.users.export(alice, caller)).toHaveLength(54)
    const session = await keystore.keys.open(P, alice, caller)
    const key = Buffer.alloc(32, 9)
    const address = await session.put(key)
    const blob = await keystore.users.export(alice, caller)
    expect(blob).toHaveLength(344)

    const copy = { ...alice, username: 'copy' }
    await keystore.users.import(copy, blob, caller)
    const again = await keystore.keys.open(P, copy, caller)
    expect(await again.addresses()).toEqual([address])
    expect(Buffer.from(await again.privateKey(address))).toEqual(key)
  })

  it('of one name are made once, whoever asks at the same time', async () => {
    const { users } = createKeystore({ records: (await open()).keystore })
    const made = await Promise.allSettled([1, 2, 3].map(() => users.create(alice, caller)))
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const one of made) if (one.status === 'rejected') expect(one.reason.message).toBe('user already exists: alice')
  })

  it('with a damaged address list: C keeps the key all the same, P and X do not', async () => {
    const { keystore: records } = await open()
    const keystore = createKeystore({ records })
    await keystore.users.create(alice, caller)
    for (const form of ['short', 'ethereum'] as const) {
      const session = await keystore.keys.open({ ...P, form }, alice, caller)
      const first = await session.put(Buffer.alloc(32, 1))
      const all = (await records.read(Buffer.from('alice')))?.entries ?? []
      const list = all.find(({ key }) => key.length === 64)
      if (!list) throw new Error('no list')
      await records.update(await found(records), [], () => [{ key: list.key, value: Buffer.from('?') }])
      const second = Buffer.alloc(32, 2)
      await expect(session.put(second)).rejects.toThrow("couldn't unpack codec version")
      const kept = (await records.read(Buffer.from('alice')))?.entries.length ?? 0
      expect(kept).toBe(all.length + (form === 'ethereum' ? 1 : 0))
      expect(Buffer.from(await session.privateKey(first))).toEqual(Buffer.alloc(32, 1))
      await records.update(await found(records), [], () => [list])
    }
  })

  it('with a record as long as no key is: it is handed out as none', async () => {
    const { keystore: records } = await open()
    const keystore = createKeystore({ records })
    await keystore.users.create(alice, caller)
    const session = await keystore.keys.open(P, alice, caller)
    const address = await session.put(Buffer.alloc(32, 1))
    const value = createRecordCipher(Buffer.from(alice.password)).seal(Buffer.alloc(33, 1))
    await records.update(await found(records), [], () => [{ key: entryKeysOf(P.blockchainId).of(address), value }])
    await expect(session.privateKey(address)).rejects.toThrow('private key has unexpected length, expected 32')
  })

  it('never lose one of two keys that come at the same time', async () => {
    const keystore = createKeystore({ records: (await open()).keystore })
    await keystore.users.create(alice, caller)
    const session = await keystore.keys.open(P, alice, caller)
    const put = await Promise.all([1, 2, 3, 4, 5, 6].map((byte) => session.put(Buffer.alloc(32, byte))))
    const hex = (list: Uint8Array[]): string[] => list.map((one) => Buffer.from(one).toString('hex')).sort()
    expect(hex(await session.addresses())).toEqual(hex(put))
  })

  it("of a name that is another's by the time the password is checked are let alone", async () => {
    const { keystore: records } = await open()
    const bob = { username: 'alice', password: 'Gr0sse-Rote.Kugel#81' }
    const { users, keys } = createKeystore({ records })
    await users.create(alice, caller)
    const session = await keys.open(P, alice, caller)
    /** Alice is gone and Bob has her name as soon as she was found. */
    const late = createKeystore({
      records: {
        ...records,
        async find(name) {
          const known = await records.find(name)
          if (known && (await users.export(alice, caller).catch(() => undefined))) {
            await users.remove(alice, caller)
            await users.create(bob, caller)
          }
          return known
        },
      },
    })
    await expect(late.users.remove(alice, caller)).rejects.toThrow('incorrect password')
    await expect(session.put(Buffer.alloc(32, 1))).rejects.toThrow('incorrect password')
    expect(await users.export(bob, caller)).toHaveLength(54)

    await users.remove(bob, caller)
    await users.create(alice, caller)
    await expect(late.users.export(alice, caller)).rejects.toThrow('incorrect password')
    expect(await users.export(bob, caller)).toHaveLength(54)
  })

  it('stop at 5,000 addresses on P and X', async () => {
    const { keystore: records } = await open()
    const keystore = createKeystore({ records })
    await keystore.users.create(alice, caller)
    const list = Buffer.alloc(6 + 4_999 * 20)
    list.writeUInt32BE(4_999, 2)
    const value = createRecordCipher(Buffer.from(alice.password)).seal(list)
    await records.update(await found(records), [], () => [{ key: entryKeysOf(P.blockchainId).list, value }])
    const session = await keystore.keys.open(P, alice, caller)
    await session.put(Buffer.alloc(32, 1))
    const text = 'keystore user has reached its limit of 5000 addresses'
    await expect(session.put(Buffer.alloc(32, 2))).rejects.toThrow(text)
    expect(await session.addresses()).toHaveLength(5_000)
    const c = await keystore.keys.open({ ...P, form: 'ethereum' }, alice, caller)
    await c.put(Buffer.alloc(32, 3))
    expect(await c.addresses()).toHaveLength(5_001)
  })
})

describe('a keystore on disk', () => {
  const folders: string[] = []
  afterEach(async () => {
    await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })))
  })

  it('has its users and their keys after a restart, and nothing in clear', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'firn-keystore-'))
    folders.push(dataDir)
    await putDatabase(dataDir)
    const start = (): Store => openStore({ dataDir, logger: pino({ level: 'silent' }) })
    const before = start()
    const keystore = createKeystore({ records: before.keystore })
    await keystore.users.create(alice, caller)
    const key = Buffer.alloc(32, 5)
    const address = await (await keystore.keys.open(P, alice, caller)).put(key)
    const stored = await before.keystore.read(Buffer.from('alice'))
    const bytes = Buffer.concat((stored?.entries ?? []).flatMap((entry) => [entry.key, entry.value]))
    expect(bytes.includes(key)).toBe(false)
    await before.close()

    const after = start()
    const again = createKeystore({ records: after.keystore })
    expect(await again.users.names()).toEqual(['alice'])
    const session = await again.keys.open(P, alice, caller)
    expect(Buffer.from(await session.privateKey(address))).toEqual(key)
    await after.close()
  })
})
