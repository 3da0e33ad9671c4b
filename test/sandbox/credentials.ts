import { APP_CHECK_HEADER } from '../../src/api/balance/app-check.ts'
import { API_KEY_HEADER } from '../../src/api/data/index.ts'
import type { Config } from '../../src/config/index.ts'
import { readAccessPassword } from '../../src/wiring/node/access.ts'

/** What callers have to show: undefined = nothing is asked for; null = something that the settings do not tell. */
type Credential = string | null | undefined

export interface Credentials {
  /** An access token for every path. */
  token: Credential
  /** Value of the balance API's header. */
  appCheck: Credential
  /** Key of the indexed API. */
  apiKey: Credential
}

/** What whoever asks the sandbox at `url` has to show, as far as its settings tell. Makes a token where those are required. */
export async function credentialsOf({ node, balance, data }: Config, url: string): Promise<Credentials> {
  const { mode, tokens } = balance.appCheck
  const { auth } = node.api
  // Of others only the digest is known, or who else signs them.
  const key = data.apiKeys.find((one) => !one.key.startsWith('sha256:'))?.key
  return {
    token: auth.required ? await newToken(url, readAccessPassword(auth)) : undefined,
    appCheck: mode === 'off' ? undefined : ((mode === 'static' ? tokens[0] : null) ?? null),
    apiKey: key ?? (data.keyRequired ? null : undefined),
  }
}

/** Null where the store goes on from an earlier start, and the password was changed there. */
async function newToken(url: string, password: string): Promise<string | null> {
  const params = { password, endpoints: ['*'] }
  const answer = await fetch(`${url}/ext/auth`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'auth.newToken', params }),
  })
  const { result } = (await answer.json()) as { result?: { token: string } }
  return result?.token ?? null
}

/** Headers of the two APIs that have one of their own, for whoever has the credential. */
export const ownHeaders = ({ appCheck, apiKey }: Credentials) => ({
  balance: typeof appCheck === 'string' ? { [APP_CHECK_HEADER]: appCheck } : {},
  data: typeof apiKey === 'string' ? { [API_KEY_HEADER]: apiKey } : {},
})
