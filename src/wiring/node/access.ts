import { readFileSync } from 'node:fs'
import type { Logger } from 'pino'
import { createAccessGuard } from '../../api/node/access-guard.ts'
import { createAuthService, tokenJson } from '../../api/node/auth/index.ts'
import type { AccessGuard, LocalService } from '../../api/node/index.ts'
import { goQuote } from '../../api/node/json/go-quote.ts'
import type { Config } from '../../config/index.ts'
import { NodeConfigError } from '../../errors.ts'
import { isStrongPassword } from '../../lib/password-strength/index.ts'
import { createAccessTokens } from '../../services/access-tokens/index.ts'
import type { Store } from '../../store/index.ts'

/** When access tokens are required: the guard of every path, and the API that makes tokens. */
export interface ServerAccess {
  guard: AccessGuard
  services: LocalService[]
  /** Await it before serving requests. */
  open(): Promise<void>
  /** From now on, requests without a token are told that this server is shutting down. */
  shutDown(): void
  close(): void
}

/** Interval at which changes of other processes are read; an embedded database has no other processes. */
const REFRESH_MS = 1_000

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  ENOTDIR: 'not a directory',
  ELOOP: 'too many levels of symbolic links',
  ENAMETOOLONG: 'file name too long',
}

/** White space as Go trims it; JavaScript's definition differs. */
const AROUND = /^[\p{White_Space}]+|[\p{White_Space}]+$/gu

function readPasswordFile(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(AROUND, '')
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    const why = code === 'EISDIR' ? `read ${path}: is a directory` : `open ${path}: ${REASONS[code] ?? message}`
    throw new NodeConfigError(`API auth password file ${goQuote(path)} failed to be read: ${why}`)
  }
}

/**
 * The configured password. A literal one wins over the file and is used unchanged; the file's is trimmed.
 * @throws NodeConfigError with the node's text
 */
export function readAccessPassword({ password, passwordFile = '' }: Config['node']['api']['auth']): string {
  const read = password ?? readPasswordFile(passwordFile)
  if (!isStrongPassword(read)) throw new NodeConfigError('API auth password is not strong enough')
  return read
}

/** Undefined when no tokens are required: then nothing is guarded, and there is no auth API. */
export function createServerAccess(
  { node }: Config,
  { store, logger }: { store: Pick<Store, 'auth' | 'kind'>; logger: Logger },
): ServerAccess | undefined {
  const { auth } = node.api
  if (!auth.required) return undefined
  const tokens = createAccessTokens({
    records: store.auth,
    configured: readAccessPassword(auth),
    json: tokenJson,
    refreshMs: store.kind === 'server' ? REFRESH_MS : 0,
    logger,
  })
  let closing = false
  return {
    guard: createAccessGuard(tokens, () => closing),
    services: [createAuthService({ tokens, confirms: auth.password !== undefined })],
    open: () => tokens.open(),
    shutDown: () => {
      closing = true
    },
    close: () => tokens.close(),
  }
}
