/** Whether messages go both ways: what is sent here goes out, and what others send comes in. */
export interface BothWays {
  /** Something comes in, or no more. */
  hears(isHearing: boolean): void
  /** Whether something goes out may have changed. */
  check(): void
  /** Called whenever they go both ways and did not before: messages may have been lost. */
  onJoined: (() => void) | undefined
}

export function createBothWays(isSending: () => boolean): BothWays {
  let isHearing = false
  let isJoined = false
  const ways: BothWays = {
    onJoined: undefined,
    check() {
      const wasJoined = isJoined
      isJoined = isHearing && isSending()
      if (isJoined && !wasJoined) ways.onJoined?.()
    },
    hears(is) {
      isHearing = is
      ways.check()
    },
  }
  return ways
}
