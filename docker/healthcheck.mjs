// Asks the server in the same container whether it can read; exit status 0 = yes. Images without curl need it.
// Where access tokens are required, 401 is the server's word that it lives: the check has no token.
const { FIRN_HTTP_HOST = '', FIRN_HTTP_PORT = '8650', FIRN_DATA_PATH_PREFIX = '' } = process.env
const everywhere = FIRN_HTTP_HOST === '' || FIRN_HTTP_HOST === '0.0.0.0' || FIRN_HTTP_HOST === '::'
const host = everywhere ? '127.0.0.1' : FIRN_HTTP_HOST.includes(':') ? `[${FIRN_HTTP_HOST}]` : FIRN_HTTP_HOST
try {
  const url = `http://${host}:${FIRN_HTTP_PORT}${FIRN_DATA_PATH_PREFIX}/v1/live-check`
  const { status } = await fetch(url, { signal: AbortSignal.timeout(4_000) })
  process.exit(status === 200 || status === 401 ? 0 : 1)
} catch {
  process.exit(1)
}
