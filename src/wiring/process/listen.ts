import type { FastifyInstance } from 'fastify'
import { FirnError } from '../../errors.ts'

interface Address {
  host: string
  /** 0 = any free port. */
  port: number
}

/** By error code of the system: which setting is concerned, and what is wrong with it. */
const REFUSALS: Record<string, (at: Address) => string> = {
  EADDRINUSE: ({ host, port }) =>
    `http.port: given ${port}, on which another program listens at ${host}; allowed: a free port, 0 for any`,
  EACCES: ({ port }) => `http.port: given ${port}, which this user may not open; allowed: a port of 1024 or above`,
  EADDRNOTAVAIL: ({ host }) => `http.host: given "${host}", which is no address of this machine`,
  EAFNOSUPPORT: ({ host }) => `http.host: given "${host}", a kind of address that this machine has not`,
  EINVAL: ({ host }) => `http.host: given "${host}"; allowed: an address of a link with its interface, fe80::1%eth0`,
  EAI_AGAIN: ({ host }) => `http.host: given "${host}", and no name server answers; allowed: an address`,
  ENOTFOUND: ({ host }) => `http.host: given "${host}", which no name server knows`,
}

/** What an operator can do about an address on which listening fails; other errors are unchanged. */
export function refusedAddress(error: unknown, at: Address): unknown {
  const message = REFUSALS[(error as NodeJS.ErrnoException).code ?? '']?.(at)
  return message === undefined ? error : new FirnError(message, { code: 'ADDRESS_REFUSED', cause: error })
}

/**
 * Resolves to the address, `http://HOST:PORT`.
 * @throws FirnError that names the setting
 */
export async function listen(http: FastifyInstance, at: Address): Promise<string> {
  try {
    return await http.listen(at)
  } catch (error) {
    throw refusedAddress(error, at)
  }
}
