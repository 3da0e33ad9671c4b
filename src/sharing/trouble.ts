const NO_REDIS = /^(Protocol error|Unknown RESP type)/
export const NO_ANSWER = 'no answer in time'
export const NODE_OF_A_CLUSTER = 'is one node of a cluster, which redis.cluster tells'
/** A sentinel, or a server with renamed commands. */
const UNKNOWN_COMMAND = /unknown (redis )?command/i
/** For a command in a script; servers before 7 embed the code in their own message. */
const REFUSED_IN_SCRIPT = /ACL failure in script|can't run this command/
const WORD_OF_A_SCRIPT = /^ERR Error running script .*?: -([A-Z]{2,20}) /

/**
 * The server's error code (`OOM`, `READONLY`, `CLUSTERDOWN` …); nothing of a command or its key. Of a cluster none of
 * whose nodes told the others, that of the last one.
 */
export function troubleOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { lastNodeError } = error as { lastNodeError?: unknown }
  if (lastNodeError instanceof Error) return troubleOf(lastNodeError)
  if (error.message === 'Connection is closed.') return 'connection closed'
  if (error.message === 'Command timed out') return NO_ANSWER
  if (NO_REDIS.test(error.message)) return 'what answers is no Redis server'
  if (isRefusedDatabase(error)) return 'refuses the database of the URL'
  if (error.message.startsWith('MOVED ')) return NODE_OF_A_CLUSTER
  if (UNKNOWN_COMMAND.test(error.message)) return 'lacks a command'
  if (REFUSED_IN_SCRIPT.test(error.message)) return 'NOPERM'
  const inScript = WORD_OF_A_SCRIPT.exec(error.message)?.[1]
  return inScript ?? /^[A-Z]{2,20}(?= )/.exec(error.message)?.[0] ?? (error as { code?: string }).code ?? error.name
}

export const isRefusedDatabase = (error: Error): boolean =>
  (error as { command?: { name?: unknown } }).command?.name === 'select'
