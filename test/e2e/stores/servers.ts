/** Real servers for suites: a suite is a function of an address. Where there can be no server, one skipped test says so, loudly. */
import { after, describe } from 'node:test'
import { ServerUnavailable } from '../../../scripts/servers/debian.ts'
import { startPostgres } from '../../../scripts/servers/postgres.ts'
import { startRedis } from '../../../scripts/servers/redis.ts'
import type { RunningServer } from '../../../scripts/servers/server.ts'
import { loudly } from '../../support/targets.ts'

const suiteTimeoutMs = 240_000

export const onPostgres = (suite: (url: string, server: RunningServer) => void): Promise<void> =>
  on('PostgreSQL', startPostgres, suite)

export const onRedis = (suite: (url: string, server: RunningServer) => void): Promise<void> =>
  on('Redis', startRedis, suite)

async function on(
  name: string,
  start: () => Promise<RunningServer>,
  suite: (url: string, server: RunningServer) => void,
): Promise<void> {
  const server = await started(name, start)
  if (server === null) return
  describe(`on ${name}`, { timeout: suiteTimeoutMs }, () => {
    suite(server.url, server)
    // Behind those of the suite, which run first.
    after(() => server.stop())
  })
}

/** Null, and a loud line, where it cannot be. */
export async function started(name: string, start: () => Promise<RunningServer>): Promise<RunningServer | null> {
  try {
    return await start()
  } catch (error) {
    if (!(error instanceof ServerUnavailable)) throw error
    loudly(`NOT RUN ON ${name.toUpperCase()}: ${error.message}`)
    return null
  }
}
