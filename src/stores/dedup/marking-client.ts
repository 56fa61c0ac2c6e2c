/** A log client whose outputs are marked as done when they are acknowledged, before anybody hears of it. */
import type { LogClient } from '../../ports/log-client.ts'
import type { DedupEngine } from './engine.ts'

export function markingClient(client: LogClient, engine: DedupEngine): LogClient {
  const publish: LogClient['publish'] = async (publications) => {
    const results = await client.publish(publications)
    await engine.published(publications, results)
    return results
  }
  return new Proxy(client, {
    get(target, name) {
      if (name === 'publish') return publish
      const member: unknown = Reflect.get(target, name, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}
