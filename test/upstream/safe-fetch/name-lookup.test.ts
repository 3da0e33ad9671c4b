import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { createNameLookup, type HostResolver } from '../../../src/upstream/safe-fetch/name-lookup.ts'
import { createSafeFetch } from '../../../src/upstream/safe-fetch/safe-fetch.ts'
import { startFaultServer } from '../../support/upstream/fault-server.ts'
import { gate } from '../../support/waiting/gate.ts'

const HEADER_BYTES = 12
const NO_SUCH_NAME = 3
const LOOPBACK = Buffer.from([127, 0, 0, 1])

/** A name server: knows no `unknown…`, is silent about `slow…`, and has an IPv4 address for all others. */
async function startNameServer() {
  const socket = createSocket('udp4')
  socket.on('message', (question, { address, port }) => {
    const host = question.toString('latin1', HEADER_BYTES + 1)
    if (host.startsWith('slow')) return
    const isUnknown = host.startsWith('unknown')
    const end = question.indexOf(0, HEADER_BYTES) + 5
    const isIpv4 = question.readUInt16BE(end - 4) === 1
    const answers = isIpv4 && !isUnknown ? 1 : 0
    const header = Buffer.from(question.subarray(0, HEADER_BYTES))
    header.writeUInt16BE(0x8180 + (isUnknown ? NO_SUCH_NAME : 0), 2)
    header.writeUInt16BE(answers, 6)
    header.writeUInt32BE(0, 8)
    // The name of the question, an address of the internet, for a minute, four bytes.
    const record = Buffer.concat([Buffer.from('c00c00010001000000' + '3c0004', 'hex'), LOOPBACK])
    const parts = [header, question.subarray(HEADER_BYTES, end), ...(answers === 1 ? [record] : [])]
    socket.send(Buffer.concat(parts), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(() => void socket.close())
  return { servers: [`127.0.0.1:${socket.address().port}`] }
}

test('names whose servers say nothing keep no other waiting', async () => {
  const { servers } = await startNameServer()
  const site = await startFaultServer({
    handle: () => ({ headers: { 'content-type': 'application/json' }, body: '1' }),
  })
  onTestFinished(() => site.close())
  const fetch = createSafeFetch({ allowAddress: () => true, resolve: createNameLookup({ servers }) })
  const leaver = new AbortController()
  const slow = [1, 2, 3].map((n) =>
    fetch(`http://slow${n}.example/`, { signal: leaver.signal }).catch((error: Error) => error.name),
  )
  const { port } = new URL(site.url)
  const first = await Promise.race([...slow, fetch(`http://quick.example:${port}/`)])
  expect(first).toMatchObject({ status: 200 })
  leaver.abort()
  expect(await Promise.all(slow)).toEqual(slow.map(() => 'CancelledError'))
})

test('the system is asked for what name servers do not tell, one at a time: all others that this process needs have the rest', async () => {
  const { servers } = await startNameServer()
  const silent = gate()
  const begun: string[] = []
  const system: HostResolver = async (host) => {
    begun.push(host)
    await silent.opened
    return [{ address: '127.0.0.1', family: 4 }]
  }
  const lookup = createNameLookup({ servers, system })
  const first = lookup('unknown1.example')
  await expect.poll(() => begun).toEqual(['unknown1.example'])
  const leaver = new AbortController()
  const second = lookup('unknown2.example', leaver.signal).catch((error: Error) => error.name)
  const third = lookup('unknown3.example')
  expect(await lookup('quick.example')).toEqual([{ address: '127.0.0.1', family: 4 }])
  leaver.abort()
  expect(await second).toBe('CancelledError')
  expect(begun).toEqual(['unknown1.example'])
  silent.open()
  await Promise.all([first, third])
  expect(begun).toEqual(['unknown1.example', 'unknown3.example'])
})
