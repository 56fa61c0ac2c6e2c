/** A consumer in a Fastify application, with health, metrics and its dashboard: `fanlane/fastify`. */
export { type FanlanePluginOptions, fanlane, fanlane as default } from './plugin.ts'
