/**
 * A real PostgreSQL on loopback, from Debian's package. POSTGRES_URL points to another one instead, which is left running, and as it was:
 * everything happens in a schema of our own.
 * PostgreSQL refuses to run as root: then it runs as `nobody`.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePorts } from '../kafka/cluster.ts'
import { findOrUnpack, ServerUnavailable } from './debian.ts'
import { answered, openWorkplace, type RunningServer, type User } from './server.ts'

const run = promisify(execFile)
const nobody = 65_534
/** Nothing here has to survive the machine: a test kills clients, never the server. */
const quick = [
  'fsync=off',
  'full_page_writes=off',
  'synchronous_commit=off',
  'max_connections=50',
  'shared_buffers=16MB',
]

/** Rejects with ServerUnavailable where there is none and none can be had. */
export async function startPostgres(): Promise<RunningServer> {
  const given = process.env.POSTGRES_URL
  if (given !== undefined && given !== '') return schemaOn(given)
  const { bin, env } = await findOrUnpack('initdb', 'postgresql', /postgresql/)
  const user: User = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : undefined
  const place = openWorkplace('postgres', user)
  try {
    const data = join(place.directory, 'data')
    const options = [
      '-D',
      data,
      '-U',
      'fanlane',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C',
      '--no-sync',
      '--no-instructions',
    ]
    await run(join(bin, 'initdb'), options, {
      cwd: place.directory,
      env: { ...process.env, LC_ALL: 'C', ...env },
      ...user,
    }).catch((error: unknown) => {
      throw new ServerUnavailable(`initdb failed: ${error instanceof Error ? error.message : String(error)}`)
    })
    const [port] = (await freePorts(1)) as [number]
    const url = `postgres://fanlane@127.0.0.1:${port}/postgres`
    const settings = [
      ...quick,
      'listen_addresses=127.0.0.1',
      `port=${port}`,
      `unix_socket_directories=${place.directory}`,
    ]
    const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])]
    const server = place.launch(join(bin, 'postgres'), args, env)
    await answered(place, server, () => answers(url))
    return { url, pid: () => server.pid, stop: () => place.close() }
  } catch (error) {
    await place.close()
    throw error
  }
}

async function schemaOn(given: string): Promise<RunningServer> {
  const schema = `fanlane_test_${process.pid}_${Date.now().toString(36)}`
  const say = async (sql: string): Promise<void> => {
    const client = new pg.Client({ connectionString: given })
    await client.connect()
    await client.query(sql)
    await client.end()
  }
  await say(`CREATE SCHEMA ${schema}`)
  const url = new URL(given)
  url.searchParams.set('options', `-csearch_path=${schema}`)
  return { url: url.href, pid: () => undefined, stop: () => say(`DROP SCHEMA ${schema} CASCADE`) }
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('SELECT 1')
    await client.end()
    return true
  } catch {
    return false
  }
}
