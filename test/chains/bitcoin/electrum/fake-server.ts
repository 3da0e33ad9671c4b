import { type AddressInfo, createServer as createTcp, type Server, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { createServer as createTls } from 'node:tls'

/** Header of block 0 of bitcoin's main network. */
const MAINNET_HEADER = `01000000${'00'.repeat(32)}3ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c`

export interface ElectrumRequest {
  id: number
  method: string
  params: unknown[]
}

export interface FakeElectrum {
  url: string
  seen: ElectrumRequest[]
  /** Bytes to send for a request in place of the good answer; undefined = the good answer, '' = silence. */
  fault: (request: ElectrumRequest, socket: Socket) => string | undefined
  connections: number
  open: Set<Socket>
  close(): Promise<void>
}

export const electrumLine = (id: number, result: unknown): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`

const goodAnswer = ({ id, method }: ElectrumRequest): string => {
  if (method === 'server.version') return electrumLine(id, ['fake', '1.4'])
  if (method === 'blockchain.block.header') return electrumLine(id, MAINNET_HEADER)
  return electrumLine(id, { confirmed: 7, unconfirmed: -2 })
}

/** An Electrum server on loopback that misbehaves on demand; with `tls` it shows that certificate. */
export const startFakeElectrum = async (tls?: { key: string; cert: string }): Promise<FakeElectrum> => {
  const talk = (socket: Socket): void => {
    fake.connections += 1
    fake.open.add(socket)
    socket.on('close', () => fake.open.delete(socket))
    socket.on('error', () => socket.destroy())
    // It passes the socket's errors on, and the test's process fails where nobody listens.
    const lines = createInterface({ input: socket }).on('error', () => undefined)
    lines.on('line', (line) => {
      const request = JSON.parse(line) as ElectrumRequest
      fake.seen.push(request)
      const text = fake.fault(request, socket) ?? goodAnswer(request)
      if (socket.writable) socket.write(text)
    })
  }
  const server: Server = tls ? createTls(tls, talk) : createTcp(talk)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const { port } = server.address() as AddressInfo
  const fake: FakeElectrum = {
    url: `${tls ? 'tls' : 'tcp'}://${tls ? 'localhost' : '127.0.0.1'}:${port}`,
    seen: [],
    fault: () => undefined,
    connections: 0,
    open: new Set(),
    async close() {
      for (const socket of fake.open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return fake
}
