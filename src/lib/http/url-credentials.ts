/**
 * User and password of a URL as an authorization header, and the URL without them: `fetch` refuses a URL with
 * credentials, and quotes it in its error. Code that follows redirects must split each URL again, so that no other host
 * gets them.
 */
export function splitCredentials(url: string): { url: string; headers: Record<string, string> } {
  const plain = new URL(url)
  const { username, password } = plain
  if (username === '' && password === '') return { url, headers: {} }
  plain.username = ''
  plain.password = ''
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { url: plain.href, headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` } }
}
