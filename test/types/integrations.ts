/** Compiled, not run: types flow from a schema into the handler, and what does not fit does not compile. */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { type Consumer, consume, json, text } from '../../src/index.ts'
import { type CloudEvent, cloudEvents, recordOf } from '../../src/integrations/cloudevents/index.ts'
import type {} from '../../src/integrations/fastify/index.ts'
import { FanlaneStrategy } from '../../src/integrations/nestjs/index.ts'
import type { SchemaRegistry } from '../../src/integrations/schema-registry/index.ts'

type Same<Left, Right> =
  (<Type>() => Type extends Left ? 1 : 2) extends <Type>() => Type extends Right ? 1 : 2 ? true : false
const same = <Check extends true>(check?: Check): unknown => check

const Order = z.object({ id: z.string(), at: z.string().transform((time) => new Date(time)) })
type Order = { id: string; at: Date }

export const fromStandardSchema: Promise<Consumer> = consume({
  group: 'g',
  topics: ['t'],
  decode: { key: text(), value: json(Order) },
  // What the schema gives, not what it takes: at is a Date.
  keyOf: ({ value }) => value?.id ?? null,
  handle: ({ key, value }) => {
    same<Same<typeof key, string | null>>()
    same<Same<typeof value, Order | null>>()
    // @ts-expect-error: a value may be a tombstone
    value.id
    // @ts-expect-error: the schema has no such field
    value?.amount
  },
})

export const rawUnlessDecoded: Promise<Consumer> = consume({
  group: 'g',
  topics: ['t'],
  handle: ({ key, value }) => {
    same<Same<typeof key, Buffer | null>>()
    same<Same<typeof value, Buffer | null>>()
  },
})

export const fromRegistry = (registry: SchemaRegistry): Promise<Consumer> =>
  consume({
    group: 'g',
    topics: ['t'],
    decode: { value: registry.codec(Order) },
    handle: ({ value }) => same<Same<typeof value, Order | null>>(),
  })

export const fromCloudEvents: Promise<Consumer> = consume({
  group: 'g',
  topics: ['t'],
  handle: cloudEvents(Order, (event, ctx, record) => {
    same<Same<typeof event, CloudEvent<Order>>>()
    same<Same<typeof event.id, string>>()
    same<Same<typeof event.time, string | undefined>>()
    same<Same<typeof event.data, Order | undefined>>()
    same<Same<typeof ctx.attempt, number>>()
    same<Same<typeof record.value, Buffer | null>>()
    return ctx.send(recordOf(event, { topic: 'out' }))
  }),
})

// @ts-expect-error: an event needs an id, a source and a type
export const incomplete: CloudEvent = { specversion: '1.0', id: '1' }

export const decorated = (fastify: FastifyInstance): unknown => same<Same<typeof fastify.fanlane, Consumer>>()

export const strategy: FanlaneStrategy = new FanlaneStrategy({ group: 'g', order: 'key', retry: { attempts: 3 } })
// @ts-expect-error: topics come from the patterns of controllers
export const withTopics: FanlaneStrategy = new FanlaneStrategy({ group: 'g', topics: ['t'] })
