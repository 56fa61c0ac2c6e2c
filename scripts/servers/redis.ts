/** A real Redis on loopback, from Debian's package. REDIS_URL points to another one instead, which is left running. */
import { connect } from 'node:net'
import { join } from 'node:path'
import { freePorts } from '../kafka/cluster.ts'
import { findOrUnpack } from './debian.ts'
import { answered, openWorkplace, type RunningServer } from './server.ts'

/** Rejects with ServerUnavailable where there is none and none can be had. */
export async function startRedis(): Promise<RunningServer> {
  const given = process.env.REDIS_URL
  if (given !== undefined && given !== '') return { url: given, pid: () => undefined, stop: () => Promise.resolve() }
  const { bin, env } = await findOrUnpack('redis-server', 'redis-server', /./)
  const place = openWorkplace('redis', undefined)
  try {
    const [port] = (await freePorts(1)) as [number]
    const args = [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--appendonly',
      'no',
      '--dir',
      place.directory,
    ]
    const server = place.launch(join(bin, 'redis-server'), args, env)
    await answered(place, server, () => listens(port))
    return { url: `redis://127.0.0.1:${port}`, pid: () => server.pid, stop: () => place.close() }
  } catch (error) {
    await place.close()
    throw error
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const end = (answer: boolean): void => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => socket.write('PING\r\n'))
    socket.once('data', (data) => end(data.toString().startsWith('+PONG')))
    socket.once('error', () => end(false))
  })
}
