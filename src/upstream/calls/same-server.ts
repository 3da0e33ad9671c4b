import type { Upstream } from '../upstream.ts'

/** The upstream that answered the first call with a given `sameServer` object. */
export type AnsweredFirst = WeakMap<object, Upstream>

interface Known {
  answeredFirst: AnsweredFirst
  upstreams: readonly Upstream[]
}

/** The only upstream that a call with this `sameServer` may be sent to; undefined = any, none has answered yet. */
export const onlyOf = (sameServer: object, { answeredFirst, upstreams }: Known): Upstream | undefined =>
  answeredFirst.get(sameServer) ?? upstreams.find((upstream) => upstream === sameServer)

/** Records who answered: later calls with this `sameServer` are sent to the first that did. */
export const noteAnswer = (sameServer: object | undefined, upstream: Upstream, { answeredFirst }: Known): void => {
  if (sameServer && !answeredFirst.has(sameServer)) answeredFirst.set(sameServer, upstream)
}
