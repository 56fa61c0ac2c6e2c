/** A cluster under test that is closed when the test is over. */
import type { TestContext } from 'node:test'
import { type Cluster, createCluster } from '../../../src/cluster/net/cluster.ts'
import type { ClusterOptions, ClusterState } from '../../../src/cluster/net/options.ts'
import { SystemClock } from '../../../src/system-clock.ts'
import { type Script, ScriptedBroker } from './scripted-broker.ts'

export interface Seen {
  readonly cluster: Cluster
  readonly states: ClusterState[]
}

export function clusterFor(t: TestContext, brokers: readonly string[], options: Partial<ClusterOptions> = {}): Seen {
  const states: ClusterState[] = []
  const cluster = createCluster({
    brokers,
    clientId: 'under-test',
    clock: new SystemClock(),
    onState: (state) => states.push(state),
    ...options,
  })
  t.after(() => cluster.close())
  return { cluster, states }
}

export async function scripted(t: TestContext, script?: Script): Promise<ScriptedBroker> {
  const broker = await ScriptedBroker.start(script)
  t.after(() => broker.close())
  return broker
}
