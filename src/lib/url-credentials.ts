/**
 * User and password of a URL as the header that carries them, and the URL without: `fetch` refuses one that has them, and tells it
 * whole in its error. Whoever follows a redirect has to ask anew, so that no stranger gets them.
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
