export interface AnyAnswer {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  body: any
}

/** Asks a server: with a body by POST, else by GET. What says that it is JSON is read as such. */
export async function readAny(
  url: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<AnyAnswer> {
  const answer = await fetch(url, {
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.includes('json') === true
  return { status: answer.status, headers: answer.headers, text, body: isJson ? JSON.parse(text) : text }
}
