/**
 * Ids in Redis, by `ioredis` (an optional peer): shared by all processes. What Redis forgets (no persistence, a fail-over to a
 * replica that was behind) runs again. A crash between the effect of a handler and the mark repeats the effect.
 *
 * One key for each id, one command for each: it works on a cluster, too. Claims are made by a script, so of two who ask at
 * the same time one hears `new`.
 */
import { FanlaneError, OptionError } from '../errors.ts'
import type { DedupAnswer, DedupClaim, DedupStore } from '../ports/dedup.ts'
import { KEEP_MS, wholeMs } from './names.ts'

export type { DedupAnswer, DedupClaim, DedupStore } from '../ports/dedup.ts'
export { type NamedRecord, recordId } from './record-id.ts'

/** What is needed of a client: `Redis` and `Cluster` of ioredis have it. */
export interface RedisClient {
  eval(script: string, keys: number, ...args: (string | number)[]): Promise<unknown>
}

export interface RedisDedupOptions {
  /** Your client, which you close; or `url`. */
  readonly client?: RedisClient
  /** `redis://…`: a connection is made at the first use, and closed with the store. */
  readonly url?: string
  /** Before every key. Default `fanlane:dedup:`. */
  readonly prefix?: string
  /** For how long an id is remembered as done. Default a week. */
  readonly keepMs?: number
}

export interface RedisDedup extends DedupStore {
  close(): Promise<void>
}

interface OwnClient extends RedisClient {
  disconnect(): void
}

const DONE = 'done'
const claimOf = (owner: string): string => `claim:${owner}`

const BEGIN = `local v = redis.call('GET', KEYS[1])
if v == false or v == ARGV[1] then redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) return 0 end
if v == '${DONE}' then return 1 end
return 2`
const MARK = `redis.call('SET', KEYS[1], '${DONE}', 'PX', ARGV[1]) return 0`
const RELEASE = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end return 0`

const ANSWERS: readonly DedupAnswer[] = ['new', 'done', 'taken']

export function redisDedup(options: RedisDedupOptions): RedisDedup {
  const { client, url, prefix = 'fanlane:dedup:' } = options
  if ((client === undefined) === (url === undefined)) {
    throw new OptionError('OPTION_INVALID', 'client', "Give 'client', a client of ioredis, or 'url': one of the two.")
  }
  return new InRedis(client ?? (url as string), prefix, wholeMs('keepMs', options.keepMs ?? KEEP_MS))
}

class InRedis implements RedisDedup {
  readonly #prefix: string
  readonly #keepMs: number
  readonly #from: RedisClient | string
  #own: Promise<OwnClient> | null = null

  constructor(from: RedisClient | string, prefix: string, keepMs: number) {
    this.#from = from
    this.#prefix = prefix
    this.#keepMs = keepMs
  }

  async begin(ids: readonly string[], { owner, ms }: DedupClaim): Promise<readonly DedupAnswer[]> {
    const answers = await this.#each(BEGIN, ids, claimOf(owner), ms)
    return answers.map((answer) => ANSWERS[Number(answer)] ?? 'taken')
  }

  async done(ids: readonly string[]): Promise<void> {
    await this.#each(MARK, ids, this.#keepMs)
  }

  async release(ids: readonly string[], owner: string): Promise<void> {
    await this.#each(RELEASE, ids, claimOf(owner))
  }

  async close(): Promise<void> {
    const own = this.#own
    if (own === null) return
    this.#own = null
    const client = await own
    client.disconnect()
  }

  /** Written one after the other without waiting: one round trip for all. All have answered when this settles. */
  async #each(script: string, ids: readonly string[], ...args: readonly (string | number)[]): Promise<unknown[]> {
    const client = await this.#client()
    const results = await Promise.allSettled(ids.map((id) => client.eval(script, 1, this.#prefix + id, ...args)))
    return results.map((result) => {
      if (result.status === 'rejected') throw result.reason
      return result.value
    })
  }

  #client(): RedisClient | Promise<RedisClient> {
    if (typeof this.#from !== 'string') return this.#from
    this.#own ??= connected(this.#from)
    // A failed import is tried again.
    this.#own.catch(() => {
      this.#own = null
    })
    return this.#own
  }
}

async function connected(url: string): Promise<OwnClient> {
  const { Redis } = await import('ioredis').catch((cause: unknown) => {
    throw new FanlaneError('PEER_MISSING', "The Redis store needs 'ioredis': npm install ioredis, or give 'client'.", {
      cause,
    })
  })
  const client = new Redis(url, { maxRetriesPerRequest: 2, retryStrategy: (tries) => Math.min(tries * 50, 1_000) })
  // Commands that fail say so themselves. Without a listener, ioredis prints every failed connection.
  client.on('error', () => undefined)
  return client
}
