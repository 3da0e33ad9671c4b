import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { StoreUnavailableError } from '../../../src/store/errors.ts'
import { useServerStores } from '../../support/store/server-stores.ts'
import { eventually } from '../../support/waiting/eventually.ts'
import { AVAX, address, id, range } from '../write/range-samples.ts'

const P = { name: 't:P', kind: 'primary' as const, network: 't', testnet: true, chain: 'P' as const }
const NETWORK = { networkId: 5, xChainId: id(1), cChainId: id(2), avaxAssetId: AVAX }
const SETTINGS = [
  "bytea_output = 'escape'",
  'standard_conforming_strings = off',
  "default_transaction_isolation = 'serializable'",
  "datestyle = 'German, DMY'",
  "timezone = 'Pacific/Kiritimati'",
]

const { server, connect } = useServerStores()

it('a database that is set to other forms of bytes, texts and transactions is written and read as any other', async () => {
  const url = await server().create('settings')
  const administrator = new pg.Client({ connectionString: url })
  await administrator.connect()
  for (const setting of SETTINGS) await administrator.query(`alter database settings set ${setting}`)
  await administrator.end()
  const { auth, aliases, writer, reader } = connect(url)
  await auth.replaceCredential({ salt: '00ff', fingerprint: 'hash' }, (await auth.state()).generation)
  expect((await auth.state()).credential).toEqual({ salt: '00ff', fingerprint: 'hash' })
  const many = Array.from({ length: 8 }, (_, n) => aliases.addEndpoint({ alias: 'one', endpoint: `bc/${n}` }))
  expect((await Promise.all(many)).filter(({ added }) => added)).toHaveLength(1)
  await writer.register(P)
  await writer.keepNetwork('t', NETWORK)
  const output = { txId: id(0x11), outputIndex: 0, kind: 'transfer' as const, assetId: AVAX, height: 0n, time: 1_000n }
  const owner = { threshold: 1, locktime: 0n, addresses: [address(1)] }
  const reward = { type: 'VALIDATOR' as const, txId: id(0x30), height: 0n }
  await writer.commitRange(P.name, { primary: { utxos: [{ ...output, ...owner, amount: 7n, reward }] } }, range(0))
  await writer.commitRange(P.name, { primary: {} }, range(1))
  expect((await reader.rewards.sums('t', [address(1)])).historical.VALIDATOR).toBe(7n)
  const list = { chain: { network: 't', letter: 'P' as const }, addresses: [address(1)], limit: 10 }
  const { utxos } = await reader.utxos.list({ ...list, sortBy: 'timestamp', order: 'asc', includeSpent: false })
  expect(utxos).toMatchObject([{ txId: id(0x11), amount: 7n, asset: { id: AVAX } }])
})

it('a session that does not take what statements rely on is not used', async () => {
  const url = await server().create('denied')
  const before = connect(url)
  await before.auth.replaceCredential({ salt: '00ff', fingerprint: 'hash' }, (await before.auth.state()).generation)
  const administrator = new pg.Client({ connectionString: url })
  await administrator.connect()
  onTestFinished(() => administrator.end())
  await administrator.query(`create role limited login password 'limited'; grant all on all tables in schema public to limited;
    revoke execute on function set_config from public; alter database denied set bytea_output = 'escape'`)
  const other = new URL(url)
  other.username = other.password = 'limited'
  const denied = connect(other.href)
  await expect(denied.auth.state()).rejects.toThrow(StoreUnavailableError)
  await administrator.query('grant execute on function set_config to public')
  await eventually(async () => expect((await denied.auth.state()).credential?.salt).toBe('00ff'))
})

it('a bound that a database sets for whole transactions ends no range that has to wait', async () => {
  const url = await server().create('bounded')
  const administrator = new pg.Client({ connectionString: url })
  await administrator.connect()
  onTestFinished(() => administrator.end())
  await administrator.query("alter database bounded set transaction_timeout = '300ms'")
  const { writer, reader } = connect(url)
  await writer.register(P)
  await administrator.query('begin')
  await administrator.query('select from stream for update')
  setTimeout(() => void administrator.query('commit'), 900)
  await writer.commitRange(P.name, { primary: {} }, range(0))
  expect(await reader.progress()).toMatchObject([{ stream: P.name, tip: { height: 0n } }])
})
