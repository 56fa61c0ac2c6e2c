/**
 * Not a contender: sends records at a steady rate and writes down when. `node pacer.ts '{"build": …}'`. Each send is of its own, with
 * a producer that waits for nothing.
 */
import { closeSync, openSync, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type * as Fanlane from '../../../src/index.ts'
import { keyText, makePlan, type Shape, writeValue } from '../../core/plan.ts'
import { outcomeMark } from '../task.ts'
import { nowNs } from './ledger.ts'
import { fromBuild } from './ours.ts'

export interface PacerTask {
  readonly brokers: readonly string[]
  readonly build: string
  readonly topic: string
  readonly shape: Shape
  /** The first record that is sent; the others are in the topic already. */
  readonly from: number
  readonly perSecond: number
  readonly events: string
}

if (import.meta.main) await pace(JSON.parse(process.argv[2] ?? '{}') as PacerTask)

async function pace({ brokers, build, topic, shape, from, perSecond, events }: PacerTask): Promise<void> {
  process.stdin.on('end', () => process.exit(3)).resume()
  const plan = makePlan(shape)
  const { createProducer } = await fromBuild<typeof Fanlane>(build, 'index')
  const producer = await createProducer({ brokers, tune: 'latency', lingerMs: 0 })
  const fd = openSync(events, 'w')
  const event = Buffer.alloc(12)
  const sent: Promise<unknown>[] = []
  // The first send finds its connections.
  await sleep(200)
  const startMs = performance.now()
  for (let n = from; n < shape.records; n++) {
    const dueMs = startMs + ((n - from) / perSecond) * 1_000
    while (performance.now() < dueMs) await sleep(Math.max(0, dueMs - performance.now()))
    const key = plan.keyOf[n] ?? 0
    const id = plan.idOf[n] ?? 0
    const value = Buffer.alloc(shape.valueBytes, 'x')
    writeValue(value, plan, id)
    event.writeUInt32LE(id, 0)
    event.writeDoubleLE(nowNs(), 4)
    sent.push(producer.send({ topic, partition: plan.partitionOfKey[key] ?? 0, key: keyText(key), value }))
    writeSync(fd, event)
  }
  await Promise.all(sent)
  await producer.close()
  closeSync(fd)
  const nothing = { firstMs: null, lastMs: null, committedMs: null, handlerMs: null, cpuSeconds: 0, peakRssMb: 0 }
  process.stdout.write(`\n${outcomeMark}${JSON.stringify(nothing)}\n`, () => process.exit(0))
}
