/** A Nest microservice as a process of its own, for nestjs-signal.test.ts: handlers wait until its parent says go. */
import 'reflect-metadata'
import { Controller, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { Ctx, EventPattern, Payload } from '@nestjs/microservices'
import { type FanlaneContext, FanlaneStrategy } from '../../src/integrations/nestjs/index.ts'

const [brokers, group, topic] = process.argv.slice(2) as [string, string, string]
const go = Promise.withResolvers<void>()
process.on('message', () => go.resolve())
const tell = (what: object): void => void process.send?.(what)

class Orders {
  async handle(value: number, context: FanlaneContext): Promise<void> {
    tell({ begun: value, attempt: context.attempt })
    await go.promise
    tell({ ended: value })
  }

  onApplicationShutdown(): void {
    tell({ shutDown: true })
  }
}
Payload()(Orders.prototype, 'handle', 0)
Ctx()(Orders.prototype, 'handle', 1)
EventPattern(topic)(Orders.prototype, 'handle', {
  value: Orders.prototype.handle as (data: unknown, ...args: unknown[]) => unknown,
})
Controller()(Orders)
class App {}
Module({ controllers: [Orders] })(App)

const strategy = new FanlaneStrategy({ brokers, group, concurrency: 4 })
const app = await NestFactory.createMicroservice(App, { strategy, logger: ['error'] })
app.useGlobalFilters(strategy.filter)
app.enableShutdownHooks()
await app.listen()
