/** Counters against what they count: recomputed from the slots after events, so a leak is found where it happens. */
import { restMax } from '../../../kernel/budget.ts'
import type { Lease } from '../../../kernel/lease.ts'
import {
  DEFERRED,
  EXHAUSTING,
  FREE,
  NONE,
  PUBLISHING,
  READY,
  RELEASED,
  RUNNING,
  ZOMBIE,
  ZOMBIE_DEFERRED,
} from '../../../kernel/slots.ts'
import type { KernelState } from '../../../kernel/state.ts'
import { Violation } from './ledger.ts'

interface Recount {
  records: number
  resting: number
  bytes: number
  active: number
  ready: number
}

export function verifyCounters(state: KernelState): void {
  const { slots, options } = state
  const counts = new Map<Lease, Recount>()
  let outputs = 0
  let records = 0
  let inEngine = 0
  for (let slot = 0; slot < slots.capacity; slot++) {
    const phase = slots.state[slot] as number
    if (phase === FREE) continue
    if ((phase === RUNNING || phase === ZOMBIE) && slots.task[slot] === NONE) inEngine++
    if (phase === ZOMBIE || phase === ZOMBIE_DEFERRED || phase === RELEASED) continue
    const lease = slots.lease[slot] as Lease
    const count = counts.get(lease) ?? { records: 0, resting: 0, bytes: 0, active: 0, ready: 0 }
    counts.set(lease, count)
    if (slots.resting[slot] === 1) count.resting++
    else count.records++
    count.bytes += slots.bytes[slot] as number
    if (phase === READY) count.ready++
    if (phase === RUNNING || phase === DEFERRED || phase === EXHAUSTING || phase === PUBLISHING) count.active++
    for (const output of slots.sends[slot] ?? []) outputs += output.size
    if (slots.resting[slot] !== 1) records++
  }
  const expect = (id: string, what: string, seen: number, wanted: number): void => {
    if (seen !== wanted) throw new Violation(id, `${what} is ${seen}, but there are ${wanted}`)
  }
  for (const lease of state.leases.values()) {
    const name = `${lease.home.topic}-${lease.home.partition} (${lease.state})`
    const count = counts.get(lease) ?? { records: 0, resting: 0, bytes: 0, active: 0, ready: 0 }
    expect('I12', `records of ${name}`, lease.records, count.records)
    expect('I12', `resting of ${name}`, lease.resting, count.resting)
    expect('I12', `bytes of ${name}`, lease.bytes, count.bytes)
    expect('I12', `active of ${name}`, lease.active, count.active)
    expect('I12', `ready of ${name}`, lease.readyCount, count.ready)
  }
  verifyBudget(state, expect)
  const paused = [...state.leases.values()].filter(({ fetchPaused }) => fetchPaused).length
  expect('I12', 'paused leases', state.fetchPaused, paused)
  expect('I12', 'admitted records', state.records, records)
  expect('I12', 'handler calls', state.running, inEngine + state.tasks.size)
  if (state.records > options.limits.records) {
    throw new Violation('I5', `${state.records} records are admitted, the limit is ${options.limits.records}`)
  }
  const most = 1.5 * (options.limits.records + restMax(options)) + state.leases.size
  if (state.records + state.resting > most) {
    throw new Violation('I5', `${state.records} records are admitted and ${state.resting} at rest, more than ${most}`)
  }
  const bytes = state.bytes - outputs
  if (bytes > options.limits.bytes && state.records + state.resting > 1) {
    throw new Violation('I5', `${bytes} bytes are admitted, the limit is ${options.limits.bytes}`)
  }
  if (options.concurrency.max < state.running) {
    throw new Violation('I5', `${state.running} handlers run, the limit is ${options.concurrency.max}`)
  }
}

/** What is kept up with every record, against the same counted anew; and nobody with something to admit is out of every line. */
function verifyBudget(
  { budget, leases, options }: KernelState,
  expect: (id: string, what: string, seen: number, wanted: number) => void,
): void {
  let usedRecords = 0
  let usedBytes = 0
  for (const lease of leases.values()) {
    usedRecords += Math.max(0, lease.records - budget.guaranteedRecords)
    usedBytes += Math.max(0, lease.bytes - budget.guaranteedBytes)
    const { isOpen, backlog, inRoomQueue, inPoolQueue, pauses } = lease
    if (isOpen && backlog.length > 0 && !inRoomQueue && !inPoolQueue && !pauses.has('map-full')) {
      throw new Violation('I7', `${lease.home.topic}-${lease.home.partition} has a backlog and waits for nothing`)
    }
    const isWaiting = isOpen && backlog.length === 0 && pauses.has('backpressure')
    if (isWaiting && !lease.inResumeQueue && options.breaker === null) {
      throw new Violation('I7', `${lease.home.topic}-${lease.home.partition} is paused, and nobody would resume it`)
    }
  }
  if (budget.isStale) return
  expect('I12', 'records taken from the pool', budget.usedRecords, usedRecords)
  expect('I12', 'bytes taken from the pool', budget.usedBytes, usedBytes)
}

/** Nothing is under way: everything that counts must be zero. */
export function verifyRest(state: KernelState): void {
  const { totals } = state
  const rest: Readonly<Record<string, number>> = {
    records: state.records,
    resting: state.resting,
    bytes: state.bytes,
    running: state.running,
    ready: state.readyTotal,
    lanes: state.lanes.count,
    slots: state.slots.inUse,
    tasks: state.tasks.size,
    revocations: state.revocations.size,
  }
  for (const [what, value] of Object.entries(rest)) {
    if (value !== 0) throw new Violation('I12', `${what} is ${value} at rest`)
  }
  for (const [what, value] of Object.entries(totals)) {
    if ((value as number) < 0) throw new Violation('I12', `total ${what} is ${value}`)
  }
}
