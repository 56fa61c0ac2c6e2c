/** What W1, W2 and W3 share: handlers that wait for I/O, and the time until the committed offset reaches the end. */
import { idealMs, makePlan, type Shape } from '../core/plan.ts'
import type { Stage } from '../core/stage.ts'
import type { Entry, Variant } from '../core/workload.ts'

export interface Waiting {
  readonly name: string
  readonly title: string
  readonly order: 'key' | 'partition' | 'none'
  readonly shape: Shape
  readonly concurrency: number
  readonly handlerMs: number
  readonly contenders: readonly Entry[]
  readonly brokers: Variant['brokers']
  /** Room that fanlane is given for records in flight; 0: its default. */
  readonly room?: number
}

const graceMs = 60_000

/** The first share group of a broker waits until the topic of its states is made: that is nobody's speed. */
const warm = new WeakSet<Stage>()

export function waiting(asked: Waiting): Variant {
  const { order, shape, concurrency, handlerMs, room = 0 } = asked
  const { records, partitions, keys, distribution } = shape
  const ideal = idealMs(makePlan(shape), order, concurrency, handlerMs)
  const shapeOf = ({ part = 1 }: Entry): Shape => ({ ...shape, records: Math.max(1, Math.round(records * part)) })
  return {
    name: asked.name,
    title: asked.title,
    order,
    brokers: asked.brokers,
    contenders: asked.contenders,
    records,
    idealRate: (records / ideal) * 1_000,
    about: {
      records,
      partitions,
      keys: distribution === 'distinct' ? 'distinct' : `${keys} ${distribution}`,
      'handler ms': handlerMs,
      concurrency,
      ...(room === 0 ? {} : { 'limits.records': room }),
    },
    seconds: ideal / 1_000 + 4,
    prepare: async (stage: Stage) => {
      for (const entry of asked.contenders) await stage.filled(shapeOf(entry))
    },
    async measure(stage, contender, entry) {
      const filled = await stage.filled(shapeOf(entry))
      const isOurs = contender.name.startsWith('ours')
      const roomFor = contender.name === 'pc-room' ? filled.plan.shape.records : isOurs ? room : 0
      const slowest = filled.plan.shape.records * handlerMs * 2
      const part = { order, concurrency, handlerMs, room: roomFor }
      if (contender.name === 'share' && !warm.has(stage)) {
        warm.add(stage)
        await stage.run(contender, filled, part, slowest + graceMs)
      }
      return stage.run(contender, filled, part, slowest + graceMs)
    },
  }
}
