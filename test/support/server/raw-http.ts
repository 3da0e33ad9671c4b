import { connect } from 'node:net'

export interface RawReply {
  status: number
  headers: [name: string, value: string][]
  body: Buffer
}

export interface RawRequest {
  method: string
  /** As it stands in the request line. */
  target: string
  headers: readonly (readonly [name: string, value: string])[]
  body: Buffer
  /** Default HTTP/1.1; anything else is written as it is. */
  version?: string
  /** Undefined writes the body as it is (it may be chunked already); a number sends it in chunks of that size. */
  chunks?: number
}

const END = Buffer.from('\r\n\r\n')

function unchunk(raw: Buffer): Buffer | undefined {
  const parts: Buffer[] = []
  let at = 0
  for (;;) {
    const line = raw.indexOf('\r\n', at)
    if (line < 0) return undefined
    const size = Number.parseInt(raw.toString('latin1', at, line), 16)
    const next = line + 2 + size + 2
    if (Number.isNaN(size) || raw.length < next) return undefined
    if (size === 0) return Buffer.concat(parts)
    parts.push(raw.subarray(line + 2, line + 2 + size))
    at = next
  }
}

/** The reply in what has arrived so far; undefined while it is incomplete. */
function parseReply(raw: Buffer, isHead: boolean, ended: boolean): RawReply | undefined {
  const end = raw.indexOf(END)
  if (end < 0) return undefined
  const [first = '', ...lines] = raw.toString('latin1', 0, end).split('\r\n')
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).trim()]
  })
  const find = (name: string) => headers.find(([key]) => key.toLowerCase() === name)?.[1]
  const rest = raw.subarray(end + END.length)
  const status = Number(first.split(' ')[1])
  if (status === 101 || isHead) return { status, headers, body: Buffer.alloc(0) }
  if (find('transfer-encoding') === 'chunked') {
    const body = unchunk(rest)
    return body && { status, headers, body }
  }
  const length = find('content-length')
  if (length === undefined) return ended ? { status, headers, body: rest } : undefined
  return rest.length < Number(length) ? undefined : { status, headers, body: rest.subarray(0, Number(length)) }
}

function bytesOf({ method, target, headers, body, version = 'HTTP/1.1', chunks }: RawRequest): Buffer[] {
  const head = `${method} ${target} ${version}\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
  if (chunks === undefined) return [Buffer.from(head, 'latin1'), body]
  const parts: Buffer[] = [Buffer.from(head, 'latin1')]
  for (let at = 0; at < body.length; at += chunks) {
    const part = body.subarray(at, at + chunks)
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'))
  }
  return [...parts, Buffer.from('0\r\n\r\n')]
}

/** Sends bytes as they are to 127.0.0.1, as no HTTP library would, and reads one reply. Rejects when none comes. */
export function sendRaw(port: number, request: RawRequest, timeoutMs = 60_000): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let raw: Buffer<ArrayBufferLike> = Buffer.alloc(0)
    const finish = (reply: RawReply | undefined, problem: string): void => {
      clearTimeout(timer)
      socket.destroy()
      if (reply) resolve(reply)
      else reject(new Error(`${problem}: ${raw.toString('latin1', 0, 200)}`))
    }
    const timer = setTimeout(() => finish(undefined, 'no reply in time'), timeoutMs)
    const read = (ended: boolean): void => {
      const reply = parseReply(raw, request.method === 'HEAD', ended)
      if (reply) finish(reply, '')
      else if (ended) finish(undefined, 'connection ended')
    }
    socket.on('data', (part) => {
      raw = Buffer.concat([raw, part])
      read(false)
    })
    socket.on('end', () => read(true))
    socket.on('error', (error) => (raw.length > 0 ? read(true) : finish(undefined, error.message)))
    for (const part of bytesOf(request)) socket.write(part)
  })
}
