import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Below the range from which systems give ports to whoever asks for any (32768 and up): what is chosen here is not given
 * to somebody else before it is used, or while a server that goes away comes back. Redis as a cluster needs the port
 * 10,000 above, too.
 */
const [LOWEST, ABOVE] = [11_000, 22_000]

/** A TCP port of loopback that is free, for programs that cannot pick one themselves. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, ABOVE)
    if (await isFree(port)) return port
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
