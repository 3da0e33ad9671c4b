import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { freePort } from '../programs/free-port.ts'
import { startPostgres } from './postgres-server.ts'

it('a port that somebody else takes meanwhile is given up for another one', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const ports = [(other.address() as AddressInfo).port]
  const server = await startPostgres([], async () => ports.pop() ?? (await freePort()))
  onTestFinished(() => server.stop())
  expect(ports).toEqual([])
  const client = new pg.Client({ connectionString: server.url('postgres') })
  await client.connect()
  expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  await client.end()
})

it('one that does not start tells why', async () => {
  const refused = startPostgres(['-c', 'no_such_setting=1'])
  await expect(refused).rejects.toThrow(
    /^the test Postgres does not start: it ended with 1\n[\s\S]*unrecognized configuration parameter "no_such_setting"/,
  )
})
