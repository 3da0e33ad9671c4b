import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface Silencer {
  port: number
  /** Lets nothing more through on the connections that are open. */
  silence(): void
  /** Whether new connections are closed at once. */
  refuse(isOn: boolean): void
  close(): void
}

/** Passes bytes on to a port. */
export async function startSilencer(target: number): Promise<Silencer> {
  const open: Socket[] = []
  let refuses = false
  const proxy = createServer((near) => {
    if (refuses) return near.destroy()
    const far = connect(target, '127.0.0.1')
    open.push(near, far)
    near.pipe(far).pipe(near)
    for (const socket of [near, far]) {
      socket.on('error', () => undefined)
      socket.on('close', () => {
        near.destroy()
        far.destroy()
      })
    }
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    port: (proxy.address() as AddressInfo).port,
    silence: () => {
      for (const socket of open) socket.unpipe().pause()
    },
    refuse: (isOn) => {
      refuses = isOn
    },
    close: () => {
      for (const socket of open) socket.destroy()
      proxy.close()
    },
  }
}
