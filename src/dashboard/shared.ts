/** Consumers of one process that name the same port share one server. */
import { OptionError } from '../errors.ts'
import { DashboardServer, type ServerParts } from './server.ts'

interface Shared {
  readonly settings: string
  readonly server: Promise<DashboardServer>
  users: number
}

const running = new Map<string, Shared>()

export interface Hold {
  readonly server: DashboardServer
  /** The last one closes it. */
  release(): Promise<void>
}

export async function sharedServer(parts: ServerParts): Promise<Hold> {
  const { host = '127.0.0.1', port } = parts.options
  if (port === 0) {
    const server = await DashboardServer.open(parts)
    return { server, release: () => server.close() }
  }
  const name = `${host}:${port}`
  const settings = JSON.stringify(parts.options, Object.keys(parts.options).sort())
  const shared = running.get(name) ?? { settings, server: DashboardServer.open(parts), users: 0 }
  if (shared.settings !== settings) {
    throw new OptionError(
      'OPTION_INVALID',
      'dashboard',
      `Another consumer of this process has a dashboard on ${name} with other options: give both the same, or another port.`,
    )
  }
  shared.users++
  running.set(name, shared)
  const release = async (): Promise<void> => {
    if (--shared.users > 0) return
    if (running.get(name) === shared) running.delete(name)
    await (await shared.server).close()
  }
  try {
    return { server: await shared.server, release }
  } catch (error) {
    if (running.get(name) === shared) running.delete(name)
    throw error
  }
}
