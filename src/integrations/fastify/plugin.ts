/**
 * The plugin: `fastify.fanlane` is the consumer, and under `prefix` there are
 *
 * - `/livez`, `/readyz`: 200 or 503, with the reasons;
 * - `/metrics`: for Prometheus;
 * - `/dashboard/`: the page, its files, its stream and its actions, with the checks that it has on a port of its own: the name by
 *   which it is called, the origin and the token of who acts. The application may listen to everybody, so to look takes the token,
 *   too, unless `dashboardReaders` leaves that to the hooks of the application.
 *
 * Health and metrics are those of the consumer's own dashboard, asked over loopback: there is one set of answers. The consumer is
 * closed, which drains and commits, before Fastify has closed, whoever started it.
 */
import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { OptionError } from '../../errors.ts'
import { type ConsumeOptions, type Consumer, consume } from '../../index.ts'
import { ask, type DashboardAnswer } from './ask.ts'

declare module 'fastify' {
  interface FastifyInstance {
    readonly fanlane: Consumer
  }
}

export type FanlanePluginOptions = {
  /** Before every route. Default none: /livez, /readyz, /metrics, /dashboard/. */
  readonly prefix?: string
  /** Name of the decoration, for a second consumer in one application. Default 'fanlane'. */
  readonly name?: string
  /** Where people reach the dashboard: /dashboard leads there, instead of showing it. */
  readonly dashboardUrl?: string
  /** Who may look: who has the token (default), or anybody whom the hooks of the application let through. To act takes the token. */
  readonly dashboardReaders?: 'token' | 'anybody'
} & (
  | {
      /**
       * The options of a consumer of raw records; or a function that starts one, with `dashboard`, when the plugins before this
       * one are ready. In a function the types of a schema flow into `handle`.
       */
      readonly consume: ConsumeOptions | ((fastify: FastifyInstance) => Promise<Consumer>)
      readonly consumer?: never
    }
  | { readonly consumer: Consumer; readonly consume?: never }
)

const ENDED: DashboardAnswer = {
  status: 503,
  type: 'application/json; charset=utf-8',
  body: JSON.stringify({ status: 'failing', reasons: ['the consumer has ended'] }),
}

async function plugin(fastify: FastifyInstance, options: FanlanePluginOptions): Promise<void> {
  const { prefix = '', name = 'fanlane', dashboardUrl, dashboardReaders = 'token' } = options
  const consumer = await consumerOf(fastify, options)
  let isOver = false
  let crash: unknown
  // Before anything can fail: whatever happens next, it is closed with the application.
  fastify.addHook('onClose', async () => {
    try {
      await consumer.close()
    } catch (error) {
      // Told already, when it happened. Thrown here it would make a clean close of all the rest look like a failure.
      if (error !== crash) throw error
    }
  })
  const { dashboard } = consumer
  if (dashboard === null) {
    throw new OptionError(
      'FASTIFY_NO_DASHBOARD',
      'consumer',
      'Health and metrics come from the dashboard of the consumer, and this one has none: consume({ dashboard: { port: 0 }, … }).',
    )
  }
  consumer.closed.then(
    () => {
      isOver = true
    },
    (error: unknown) => {
      isOver = true
      crash = error
      fastify.log.error({ err: error }, 'the consumer has ended with an error')
    },
  )

  const passOn = async (path: string, reply: FastifyReply): Promise<FastifyReply> => {
    const { status, type, body } = isOver ? ENDED : await ask(dashboard.url, path)
    return reply.code(status).header('content-type', type).header('cache-control', 'no-store').send(body)
  }
  fastify.decorate(name, consumer)
  await fastify.register(
    (routes, _, done) => {
      for (const path of ['/livez', '/readyz', '/metrics']) routes.get(path, (_request, reply) => passOn(path, reply))
      if (dashboardUrl === undefined) mount(routes, dashboard, dashboardReaders)
      else routes.get('/dashboard', (_request, reply) => reply.redirect(dashboardUrl, 302))
      done()
    },
    { prefix },
  )
}

/** The dashboard answers by itself: Fastify steps back after its hooks, and reads no body. */
function mount(
  routes: FastifyInstance,
  dashboard: NonNullable<Consumer['dashboard']>,
  readers: 'token' | 'anybody',
): void {
  const path = `${routes.prefix}/dashboard`
  const open = new Set<ServerResponse>()
  // With the token, where nobody chose it and it lets somebody act: as the consumer's own log has it.
  routes.log.info({ path: `${path}/${new URL(dashboard.link).search}` }, 'dashboard')
  routes.removeAllContentTypeParsers()
  routes.addContentTypeParser('*', (_request, _payload, done) => done(null))
  // Fastify waits for what is under way before it closes. Streams never end by themselves: all else is sent in one piece.
  routes.addHook('preClose', async () => {
    for (const response of open) if (response.headersSent && !response.writableEnded) response.destroy()
  })
  const handler = ({ raw: request }: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const { raw: response } = reply.hijack()
    open.add(response)
    response.once('close', () => open.delete(response))
    dashboard.handle(request, response, path, readers)
    return reply
  }
  for (const url of ['/dashboard', '/dashboard/*']) routes.route({ method: ['GET', 'HEAD', 'POST'], url, handler })
}

async function consumerOf(fastify: FastifyInstance, options: FanlanePluginOptions): Promise<Consumer> {
  const { consumer, consume: wanted } = options
  if ((consumer === undefined) === (wanted === undefined)) {
    throw new OptionError(
      'OPTION_INVALID',
      'consumer',
      "Give 'consume', the options of a consumer, or 'consumer', one that runs: one of the two.",
    )
  }
  if (consumer !== undefined) return consumer
  return typeof wanted === 'function' ? wanted(fastify) : consume({ dashboard: { port: 0 }, ...wanted })
}

/** Visible in the whole application, not only inside of the plugin: what `fastify-plugin` would do. */
export const fanlane: FastifyPluginAsync<FanlanePluginOptions> = Object.assign(plugin, {
  [Symbol.for('skip-override')]: true,
  [Symbol.for('fastify.display-name')]: 'fanlane',
  [Symbol.for('plugin-meta')]: { name: 'fanlane', fastify: '>=5' },
})
