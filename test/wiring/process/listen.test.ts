import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import Fastify from 'fastify'
import { expect, it, onTestFinished } from 'vitest'
import { listen, refusedAddress } from '../../../src/wiring/process/listen.ts'
import { SERVER_PROGRAM } from '../../support/programs/server-program.ts'

async function takenPort(): Promise<number> {
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  return (other.address() as AddressInfo).port
}

const taken = (port: number): string =>
  `http.port: given ${port}, on which another program listens at 127.0.0.1; allowed: a free port, 0 for any`

it('names the setting where the system lets nobody listen', async () => {
  const port = await takenPort()
  await expect(listen(Fastify(), { host: '127.0.0.1', port })).rejects.toThrow(taken(port))
  // An address that is kept for documentation.
  await expect(listen(Fastify(), { host: '192.0.2.1', port: 0 })).rejects.toThrow(
    'http.host: given "192.0.2.1", which is no address of this machine',
  )
  await expect(listen(Fastify(), { host: 'fe80::1', port: 0 })).rejects.toThrow(/^http\.host: given "fe80::1"/)
  for (const code of ['EAI_AGAIN', 'EAFNOSUPPORT'])
    expect(
      (refusedAddress(Object.assign(new Error(code), { code }), { host: 'db', port: 80 }) as Error).message,
    ).toMatch(/^http\.host: given "db"/)
  const forbidden = Object.assign(new Error('listen EACCES'), { code: 'EACCES' })
  expect((refusedAddress(forbidden, { host: '::1', port: 80 }) as Error).message).toBe(
    'http.port: given 80, which this user may not open; allowed: a port of 1024 or above',
  )
  const other = new Error('something else')
  expect(refusedAddress(other, { host: '::1', port: 80 })).toBe(other)
})

it('resolves to the address', async () => {
  const http = Fastify()
  onTestFinished(() => http.close())
  expect(await listen(http, { host: '127.0.0.1', port: 0 })).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
})

it('the process says it in one line', async () => {
  const port = await takenPort()
  const flags = ['--chains-catalogue', 'false', '--log-level', 'error', '--http-port', `${port}`]
  const child = spawn(process.execPath, [...SERVER_PROGRAM, ...flags])
  let said = ''
  child.stderr.on('data', (text: Buffer) => {
    said += text
  })
  expect(await once(child, 'close')).toEqual([1, null])
  expect(said).toBe(`${taken(port)}\n`)
})
