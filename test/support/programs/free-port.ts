import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Below the range from which systems give ports to whoever asks for any (32768 and up): what is chosen here is not given
 * to somebody else before it is used, or while a server that goes away comes back. Redis as a cluster needs the port
 * 10,000 above, too.
 */
const LOWEST = 11_000
/** Files that run at a time have ports of their own: a server that is away for a moment finds its port still free. */
const [PLACES, PORTS_EACH] = [16, 680]
const given = new Set<number>()

/** A TCP port of loopback that is free, for programs that cannot pick one themselves. None is given twice to one file. */
export async function freePort(): Promise<number> {
  const first = LOWEST + (Number(process.env['VITEST_POOL_ID'] ?? 0) % PLACES) * PORTS_EACH
  for (;;) {
    const port = first + randomInt(PORTS_EACH)
    if (given.has(port) || !(await isFree(port))) continue
    given.add(port)
    return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  await new Promise((resolve) => server.close(resolve))
  return true
}
