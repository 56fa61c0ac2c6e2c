/**
 * A NestJS microservice on the parallel consumer. Nest's decorators need a compiler, unlike everything else here:
 * `npm run build && npx tsc -p examples/nestjs && npx node .cache/examples/nestjs/main.js`
 */
import 'reflect-metadata'
import { Controller, Injectable, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { Ctx, EventPattern, Payload } from '@nestjs/microservices'
import { createProducer, PermanentError } from 'fanlane'
import { startBroker } from 'fanlane/broker'
import { type FanlaneContext, FanlaneStrategy } from 'fanlane/nestjs'

interface Order {
  readonly id: number
  readonly amount: number
}

@Injectable()
class Billing {
  readonly #totals: Map<string, number> = new Map()

  add(customer: string, amount: number): number {
    const total = (this.#totals.get(customer) ?? 0) + amount
    this.#totals.set(customer, total)
    return total
  }
}

@Controller()
class OrdersController {
  readonly #billing: Billing

  constructor(billing: Billing) {
    this.#billing = billing
  }

  // <string>: without it Nest's types allow no second parameter of a type of its own.
  @EventPattern<string>('orders')
  async paid(@Payload() order: Order, @Ctx() ctx: FanlaneContext<string, Order>): Promise<void> {
    // No retries: it goes to orders.dlq at once, and the next order of this customer goes on.
    if (order.amount < 0) throw new PermanentError(`order ${order.id} has a negative amount`)
    // Anything else is tried again with backoff, while other customers go on.
    if (order.id === 2 && ctx.attempt === 1) throw new Error('the database is away')
    const total = this.#billing.add(String(ctx.record.key), order.amount)
    console.log(`${ctx.record.key}: order ${order.id}, attempt ${ctx.attempt}, total ${total}`)
    // Published only if this record finishes.
    await ctx.send({ topic: 'totals', key: ctx.record.key, value: String(total) })
  }

  // A second handler of the same record: it runs after the first, and the record is finished after both.
  @EventPattern(/^orders$/)
  audit(@Payload() order: Order): void {
    console.log(`audit: order ${order.id}`)
  }
}

@Module({ controllers: [OrdersController], providers: [Billing] })
class AppModule {}

const broker = await startBroker({ topics: { orders: 4, totals: 4 } })
const { brokers } = broker
const producer = await createProducer({ brokers })
for (const [id, amount] of [20, 22, -1, 8].entries()) {
  await producer.send({ topic: 'orders', key: 'ann', value: JSON.stringify({ id: id + 1, amount }) })
}

const strategy = new FanlaneStrategy({ brokers, group: 'billing', retry: { initialMs: 10 } })
const app = await NestFactory.createMicroservice(AppModule, { strategy, logger: ['error', 'warn'] })
// Nest hides what handlers throw; retries and dead letters need it.
app.useGlobalFilters(strategy.filter)
// SIGTERM closes the application, and that drains and commits.
app.enableShutdownHooks()
await app.listen()

strategy.on('dead-letter', ({ error }) => console.log(`dead letter: ${(error as Error).message}`))
await strategy.unwrap().idle()
await app.close()
await producer.close()
await broker.close()
