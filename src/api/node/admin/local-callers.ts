import { type LocalCall, type LocalMethod, MethodError } from '../gorilla/local-service.ts'

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/
/** Headers of forwarded requests: a proxy on this machine acts for others, a browser may act for any web page. */
const FOR_OTHERS = [
  'forwarded',
  'via',
  ...['for', 'host', 'proto', 'server', 'port'].map((what) => `x-forwarded-${what}`),
  ...['x-real-ip', 'x-client-ip', 'true-client-ip', 'cf-connecting-ip'],
  'origin',
  'sec-fetch-site',
]

const isLocal = ({ remoteAddress, header }: LocalCall): boolean =>
  remoteAddress !== undefined && LOOPBACK.test(remoteAddress) && FOR_OTHERS.every((name) => header(name) === undefined)

/** The same methods, but only for callers on this machine. */
export function forLocalCallers(methods: Readonly<Record<string, LocalMethod>>): Record<string, LocalMethod> {
  const guarded = Object.entries(methods).map(([name, method]): [string, LocalMethod] => [
    name,
    (args, call) => {
      if (!isLocal(call)) throw new MethodError('the admin API is served to this machine only')
      return method(args, call)
    },
  ])
  return Object.fromEntries(guarded)
}
