import type { Scheduled, Scheduler } from '../calls/scheduler.ts'
import { createGateQueue, type Waiting } from './gate-queue.ts'
import type { RateBudget } from './rate-budget.ts'

/** A call that wants to start. `refuse` is called instead of `start` when the queue is emptied. */
export interface Ticket extends Waiting {
  start(): void
  refuse(reason: string): void
}

/** Admission to one upstream: a maximum of requests at once and per second, in the order of `GateQueue`. */
export interface Gate {
  /** True when a ticket would start at once. */
  room(now: number): boolean
  /**
   * Starts the ticket now or later; false = the queue is full and nothing will happen. If the newest go first, the
   * oldest is refused instead.
   */
  enter(ticket: Ticket, now: number): boolean
  /** Takes a waiting ticket back. */
  withdraw(ticket: Ticket): void
  /** A started ticket has ended. */
  leave(): void
  /** Refuses all waiting tickets, so that they go elsewhere. */
  turnAway(reason: string): void
  active(): number
  waiting(): number
}

export const createGate = (deps: {
  maxConcurrent: number
  maxWaiting: number
  budget: RateBudget
  scheduler: Scheduler
}): Gate => {
  const { maxConcurrent, maxWaiting, budget, scheduler } = deps
  const queue = createGateQueue<Ticket>()
  let active = 0
  let alarm: Scheduled | undefined

  const onAlarm = (): void => {
    alarm = undefined
    pump()
  }
  const pump = (): void => {
    while (queue.size() > 0 && active < maxConcurrent) {
      const now = Date.now()
      if (!budget.take(now)) {
        alarm ??= scheduler.at(budget.nextAt(now), onAlarm)
        return
      }
      active += 1
      queue.take()?.start()
    }
  }
  const dropAlarm = (): void => {
    if (queue.size() > 0 || !alarm) return
    scheduler.cancel(alarm)
    alarm = undefined
  }
  return {
    room: (now) => queue.size() === 0 && active < maxConcurrent && budget.available(now),
    enter: (ticket, now) => {
      if (queue.size() === 0 && active < maxConcurrent && budget.take(now)) {
        active += 1
        queue.passed(ticket)
        ticket.start()
        return true
      }
      const last = queue.size() >= maxWaiting ? queue.giveUp() : undefined
      if (queue.size() >= maxWaiting) return false
      queue.add(ticket)
      last?.refuse('too many calls waiting')
      pump()
      return true
    },
    withdraw: (ticket) => {
      if (queue.remove(ticket)) dropAlarm()
    },
    leave: () => {
      active -= 1
      if (queue.size() > 0) pump()
    },
    turnAway: (reason) => {
      const waiting = queue.empty()
      dropAlarm()
      for (const ticket of waiting) ticket.refuse(reason)
    },
    active: () => active,
    waiting: queue.size,
  }
}
